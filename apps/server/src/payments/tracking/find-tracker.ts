import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { findSplitVersion, listSplitVersions } from '../../split/find-split.ts'
import { emptyLedger, type Ledger } from '../../split/ledger/ledger.ts'
import { findLedger } from '../../split/ledger/store.ts'
import type { Split } from '../../split/split.ts'
import { findTags } from '../cursors/store.ts'
import { listTrackedArrivals, sumCountedMoney } from './store.ts'
import { type MoneyTracker, type TrackedArrival, trackMoney } from './track-money.ts'

/** What finding the way of money leans on. */
export type TrackingNeeds = { readonly db: Database; readonly chain: Chain }

const trackedArrivals = 50

/** Where the receipt's money is; null where none came over the chain. */
export async function findTracker(needs: TrackingNeeds, receipt: Receipt): Promise<MoneyTracker | null> {
  const { db, chain } = needs
  const { merchant, id: receiptId, splitVersion } = receipt
  const place = { merchant, chain: chain.id, receiptId }
  const [money, arrivals, tags, split, versions] = await Promise.all([
    sumCountedMoney(db, place),
    listTrackedArrivals(db, place, trackedArrivals),
    findTags(db, chain.id),
    splitVersion === undefined ? undefined : findSplitVersion(db, merchant, splitVersion),
    listSplitVersions(db, merchant),
  ])
  const isReversed = receipt.payment?.state === 'orphaned'
  if (money.length === 0 && !isReversed) return null
  const ledgers = await findLedgers(needs, merchant, arrivals)
  return trackMoney({
    isConfirmed:
      money.some(({ credited }) => credited > 0n) &&
      (isSettled(receipt.status) || money.every(({ seen }) => seen === 0n)),
    isReversed,
    isReconciled: receipt.status === 'reconciled',
    money,
    tags,
    arrivals,
    split,
    splits: new Map(versions.map((version): [string, Split] => [version.address, version])),
    ledgerOf: (address, token) => ledgers.get(`${address}/${token}`),
  })
}

async function findLedgers(
  { db, chain }: TrackingNeeds,
  merchant: Wallet,
  arrivals: readonly TrackedArrival[],
): Promise<Map<string, Ledger>> {
  const keys = new Map(arrivals.map(({ split, token }) => [`${split}/${token}`, { split, token }]))
  const found = await Promise.all(
    [...keys].map(async ([text, key]): Promise<[string, Ledger]> => {
      const ledger = await findLedger(db, { merchant, chain: chain.id, ...key })
      return [text, ledger ?? emptyLedger]
    }),
  )
  return new Map(found)
}
