import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { pad } from 'viem'
import type { ChainLog } from '../../chain/chain.ts'
import { transferTopic } from '../../split/ledger/decode-events.ts'
import { findSplitOwners } from '../../split/store.ts'
import { listHotTargets } from '../attempts/targets.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import type { Cursor } from '../cursors/store.ts'
import { paymentTopic } from '../ledger/transfer.ts'
import { findUnbooked } from './store.ts'

const addressesPerFilter = 500

/**
 * Blocks of a final range with a payment that was not there when it was first read: a second reading, which any
 * endpoint can answer, also one that keeps no state of old blocks.
 *
 * @param cursor - Where the last reading ended: those who were looked at then are looked at again.
 */
export async function findLeftOut(
  needs: ScanNeeds,
  splits: readonly Wallet[],
  range: { readonly above: bigint; readonly to: bigint },
  cursor: Cursor,
): Promise<bigint[]> {
  const { db, chain } = needs
  const blocks = { from: range.above + 1n, to: range.to }
  const calls: ChainLog[] = []
  for (const addresses of pagesOf(splits))
    calls.push(...(await chain.readLogs({ ...blocks, addresses, topics: [paymentTopic] })))
  const owners = await findSplitOwners(db, chain.id, [...new Set(calls.map(({ address }) => address))])
  const merchantOf = new Map(owners.map(({ address, merchant }) => [address, merchant]))

  const tokens = chain.tokens.map(({ address }) => address).filter((address) => address !== nativeAddress)
  const found = calls.flatMap((log) => placeOf(merchantOf.get(log.address), log))
  const targets = tokens.length > 0 ? await listHotTargets(db, chain.id, cursor.at) : []
  for (const page of pagesOf(targets)) {
    const byTopic = new Map(
      page.map((target) => [
        pad(target.depositAddress.toLowerCase() as Wallet, { size: 32 }),
        target.merchant,
      ]),
    )
    const topics = [transferTopic, null, [...byTopic.keys()]]
    for (const log of await chain.readLogs({ ...blocks, addresses: tokens, topics }))
      found.push(...placeOf(byTopic.get(log.topics[2] ?? '0x'), log))
  }
  const known = new Set(chain.tokens.map(({ address }) => address.toLowerCase()))
  const missing = await findUnbooked(
    db,
    chain.id,
    found.filter(({ log }) => isMoney(log, known)),
  )
  return [...new Set(missing.map(({ log }) => log.blockNumber))]
}

/** Nothing at all and what is not taken make no payment; booked or not, they are no reason to look again. */
function isMoney({ topics, data }: ChainLog, tokens: ReadonlySet<string>): boolean {
  if (!/[1-9a-f]/.test(data.slice(2, 66))) return false
  return topics[0] !== paymentTopic || tokens.has(`0x${topics[2]?.slice(26)}`)
}

function placeOf(merchant: Wallet | undefined, log: ChainLog) {
  return merchant ? [{ merchant, txHash: log.transactionHash, logIndex: log.logIndex, log }] : []
}

function pagesOf<T>(all: readonly T[]): T[][] {
  const pages: T[][] = []
  for (let at = 0; at < all.length; at += addressesPerFilter)
    pages.push(all.slice(at, at + addressesPerFilter))
  return pages
}
