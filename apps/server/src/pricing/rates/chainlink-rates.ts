import type { RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { RateCode } from './rate.ts'
import type { RateReading, RateSource } from './rate-source.ts'

const name = 'chainlink'

/** Feeds in US dollars with eight decimals, on Base (8453). */
const feedsOnBase: { readonly [code in RateCode]?: Wallet } = {
  ETH: feed('0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70'),
  cbBTC: feed('0x64c911996D3c6aC71f9b455B1E8E7266BcbD848F'),
}

/** `latestRoundData()`: round, answer, started, updated, answered in round; a word each. */
const latestRoundData: Hex = '0xfeaf968c'

/**
 * Chainlink's feeds, read through the deployment's own chain.
 *
 * A feed is written when the price moves or an interval ends, so in quiet hours its answer is
 * older than a minute and does not count.
 */
export function chainlinkRates(needs: { call: Chain['call'] }): RateSource {
  return {
    name,
    codes: Object.keys(feedsOnBase) as RateCode[],
    read: (codes) => Promise.all(codes.map((code) => readFeed(needs, code))),
  }
}

async function readFeed(needs: { call: Chain['call'] }, code: RateCode): Promise<RateReading> {
  const address = feedsOnBase[code]
  if (!address) return { code, source: name, fault: 'no feed' }
  try {
    const answer = await needs.call(address, latestRoundData, 'latest')
    if (!answer.ok || !/^0x[0-9a-f]{320}$/i.test(answer.data))
      return { code, source: name, fault: 'unknown format of a round' }
    const word = (index: number) => BigInt(`0x${answer.data.slice(2 + 64 * index, 66 + 64 * index)}`)
    const usdPerUnit = BigInt.asIntN(256, word(1)) as RateE8
    const quotedAt = Number(word(3) * 1000n) as UnixMs
    return { code, source: name, usdPerUnit, quotedAt }
  } catch (error) {
    return { code, source: name, fault: String(error) }
  }
}

function feed(address: string): Wallet {
  const wallet = parseWallet(address)
  assert(wallet, 'a feed has an address')
  return wallet
}
