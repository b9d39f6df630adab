import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { compareOnChain, isReversed, type Payment, textOfKey } from '../ledger/payment.ts'
import type { Money } from './record-money.ts'
import type { ChainChanges } from './settle-context.ts'

export type News = {
  readonly reversed: readonly Payment[]
  readonly restored: readonly Payment[]
  /** A provider reported the receipt as paid, and a reorg removed the delivery. */
  readonly hasVanished: boolean
}

/** Finds the payments that a reorg reversed, and those that returned or replaced reversed ones. Pure. */
export function findNews(receipt: Receipt, changes: ChainChanges, { payments, credited, back }: Money): News {
  const lost = changes.lost ?? []
  const vanished = listVanished(receipt, payments, lost)
  const noticed = listNoticed(changes, back)
  return {
    reversed: findReversed(payments, lost, vanished.now),
    restored: noticed.length > 0 || credited.length > 0 ? noticed : foundElsewhere(receipt, payments),
    hasVanished: vanished.isGone,
  }
}

/** Returns the history entries of a settlement. */
export function listEntries({ fresh, credited, isFirst }: Money, { reversed, restored }: News) {
  return [
    ...entriesOf('payment_seen', isFirst ? fresh.slice(0, 1) : []),
    ...entriesOf('payment_orphaned', reversed),
    ...entriesOf('payment_restored', restored),
    ...entriesOf('payment_credited', credited),
  ]
}

function entriesOf<Kind extends string>(kind: Kind, payments: readonly Payment[]) {
  return payments.map(({ txHash, token, units, block, isLate }) => ({
    kind,
    detail: {
      transactionHash: txHash,
      token: token.symbol,
      amount: units.toString(),
      blockNumber: block.number.toString(),
      blockHash: block.hash,
      isLate,
    },
  }))
}

function listNoticed({ returned = [], lost = [] }: ChainChanges, back: readonly Payment[]): Payment[] {
  const lostNow = new Set(lost)
  const lostBefore = returned.filter(({ was }) => was.isReversed && !lostNow.has(was.block.hash))
  const noticed = new Set(lostBefore.map(({ found }) => textOfKey(found)))
  return back.filter((payment) => noticed.has(textOfKey(payment))).sort(compareOnChain)
}

function foundElsewhere({ payment }: Receipt, payments: readonly Payment[]): readonly Payment[] {
  if (payment?.state !== 'orphaned' || payments.some(isReversed)) return []
  return payments.filter(({ state }) => state === 'credited').slice(-1)
}

/**
 * Returns credited payments whose blocks were removed in this step.
 *
 * A payment that a new block in the same step includes again is not reported.
 */
function findReversed(
  payments: readonly Payment[],
  lost: readonly Hex[],
  vanished: readonly Payment[],
): Payment[] {
  const reversed = payments.filter((payment) => isReversed(payment) && lost.includes(payment.block.hash))
  return [...reversed, ...vanished].sort(compareOnChain)
}

/**
 * Returns uncredited payments that a reorg removed from a receipt that was marked as paid on a provider's
 * report.
 *
 * The receipt waits for that delivery until credited payments cover the total.
 */
function listVanished(
  { status, providerSession, paidUnits, payment }: Receipt,
  payments: readonly Payment[],
  lost: readonly Hex[],
): { now: readonly Payment[]; isGone: boolean } {
  const isOnWord = isSettled(status) && providerSession?.isPaid === true && paidUnits === undefined
  if (!isOnWord) return { now: [], isGone: false }
  const all = payments.filter(({ state, creditedAt }) => state === 'orphaned' && creditedAt === undefined)
  const now = all.filter(({ block }) => lost.includes(block.hash))
  return { now, isGone: now.length > 0 || (all.length > 0 && payment?.state === 'orphaned') }
}
