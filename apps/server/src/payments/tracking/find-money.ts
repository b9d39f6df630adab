import type { ReceiptMoney } from '@sluice/protocol/api/receipts/money.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { getReceipt } from '../../receipts/viewing/load-detail.ts'
import { findSplitVersion, listSplitVersions } from '../../split/find-split.ts'
import { emptyLedger, type Ledger } from '../../split/ledger/ledger.ts'
import { findLedger } from '../../split/ledger/store.ts'
import type { Split } from '../../split/split.ts'
import { type FinalityTags, finalityOf } from '../cursors/finality.ts'
import { findTags } from '../cursors/store.ts'
import { listShownPayments, listTrackedArrivals, type ShownPayment, sumCountedMoney } from './store.ts'
import { type MoneyTracker, type RecipientPart, type TrackedArrival, trackMoney } from './track-money.ts'

const shownPayments = 50

/**
 * Returns the path of a receipt's money: payments, sweeps and the share of each recipient.
 *
 * @throws {ApiError} `not_found`.
 */
export async function findMoney(needs: TrackingNeeds, merchant: Wallet, id: string): Promise<ReceiptMoney> {
  const { db, chain } = needs
  const receipt = await getReceipt(needs, merchant, id)
  const [{ payments, count }, tags, tracker] = await Promise.all([
    listShownPayments(db, { merchant, chain: chain.id, receiptId: receipt.id }, shownPayments),
    findTags(db, chain.id),
    findTracker(needs, receipt),
  ])
  const tokens = new Map(chain.tokens.map((token) => [token.address, token]))
  const viewPart = (part: RecipientPart): ReceiptMoney['parts'][number] => {
    const { symbol = '', decimals = 0 } = tokens.get(part.token) ?? {}
    const { address, sharesBps, isPlatform, units, state, transactionHash } = part
    return {
      address,
      sharesBps,
      isPlatform,
      token: symbol,
      decimals,
      amountRaw: units?.toString() ?? null,
      state,
      transactionHash,
    }
  }
  return {
    steps: [...(tracker?.steps ?? [])],
    payments: payments.map((payment) => viewPayment(payment, tags)),
    paymentsOmitted: count - payments.length,
    parts: tracker?.parts.map(viewPart) ?? [],
  }
}

function viewPayment(payment: ShownPayment, tags: FinalityTags): ReceiptMoney['payments'][number] {
  const { txHash, blockHash, blockNumber, kind, sweptTx, token, units, at, isLate, isReversed } = payment
  const above = tags.latest - blockNumber + 1n
  return {
    transactionHash: txHash === blockHash ? null : txHash,
    blockNumber: Number(blockNumber),
    at,
    payer: payment.payer ?? null,
    depositAddress: kind === 'call' ? null : payment.depositAddress,
    sweepTransactionHash: sweptTx?.startsWith('0x') ? sweptTx : null,
    token: token.symbol,
    decimals: token.decimals,
    amountRaw: units.toString(),
    confirmations: isReversed || above < 0n ? 0 : Number(above),
    finality: isReversed ? 'none' : finalityOf(tags, blockNumber),
    isLate,
    isReversed,
  }
}

export type TrackingNeeds = { readonly db: Database; readonly chain: Chain }

const trackedArrivals = 50

/** Returns null if no on-chain payment exists. */
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
