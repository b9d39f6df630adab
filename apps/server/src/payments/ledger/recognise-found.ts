import type { Database } from '../../platform/database/database.ts'
import { type FoundLog, type KnownLog, type ReturnedLog, recogniseLogs } from './known-log.ts'
import { listKnownLogs, loseLogs } from './known-log-store.ts'
import { textOfKey } from './payment.ts'
import { dropPlaces } from './place-store.ts'

/**
 * Sorts what was found into what is new and what came back. What the books know already, wherever it was
 * credited or decided to go, is left out.
 */
export async function recogniseFound<Found extends FoundLog>(
  tx: Database,
  chain: number,
  found: readonly Found[],
): Promise<{ fresh: Found[]; returned: ReturnedLog<Found>[] }> {
  const fresh: Found[] = []
  const returned: ReturnedLog<Found>[] = []
  const byMerchant = Map.groupBy(found, ({ merchant }) => merchant)
  for (const [merchant, own] of [...byMerchant].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const txHashes = [...new Set(own.map(({ txHash }) => txHash))]
    const coin = own.flatMap(({ txHash, block, address }) => (txHash === block.hash ? [address] : []))
    const known = await listKnownLogs(tx, chain, merchant, txHashes, coin)
    const recognised = recogniseLogs(known, own)
    await loseLogs(tx, chain, merchant, recognised.stale, [])
    await dropPlaces(tx, chain, merchant, recognised.stale)
    for (const log of recognised.fresh) fresh.push(log)
    const stale = new Set(recognised.stale.map(textOfKey))
    for (const { was, found: log } of recognised.returned)
      returned.push({ was: stale.has(textOfKey(was)) ? { ...was, ...lostKey(was) } : was, found: log })
  }
  return { fresh, returned }
}

function lostKey({ logIndex, address, block }: KnownLog) {
  return { address: logIndex < 0 ? address : block.hash }
}
