import type { RateE8 } from '@sluice/protocol/money.ts'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import type { RateCode, RateReading, RateSource } from './rate.ts'

const name = 'chainlink'

/**
 * Selector of `latestRoundData()`, which returns five words: round, answer, started, updated, answered in
 * round.
 */
const latestRoundData: Hex = '0xfeaf968c'

/**
 * Reads Chainlink's feeds on the deployment's chain, if its network has any.
 *
 * A feed is updated when the price moves or an interval ends. When prices are stable, its answer is older
 * than a minute and is ignored.
 */
export function chainlinkRates({ chain }: { chain: Pick<Chain, 'id' | 'call'> }): RateSource {
  const feeds: Feeds = findNetwork(chain.id)?.chainlinkFeeds ?? {}
  return {
    name,
    codes: Object.keys(feeds) as RateCode[],
    read: (codes) => Promise.all(codes.map((code) => readFeed(chain, feeds, code))),
  }
}

type Feeds = Partial<Readonly<Record<RateCode, string>>>

async function readFeed(chain: Pick<Chain, 'call'>, feeds: Feeds, code: RateCode): Promise<RateReading> {
  const address = parseWallet(feeds[code])
  if (!address) return { code, source: name, error: 'no feed' }
  try {
    const response = await chain.call(address, latestRoundData, 'latest')
    if (!response.ok || !/^0x[0-9a-f]{320}$/i.test(response.data))
      return { code, source: name, error: 'unknown format of a round' }
    const word = (index: number) => BigInt(`0x${response.data.slice(2 + 64 * index, 66 + 64 * index)}`)
    const usdPerUnit = BigInt.asIntN(256, word(1)) as RateE8
    const quotedAt = Number(word(3) * 1000n) as UnixMs
    return { code, source: name, usdPerUnit, quotedAt }
  } catch (error) {
    return { code, source: name, error: String(error) }
  }
}
