import type { UnmatchedDecisionRequest } from '@sluice/protocol/api/receipts/refunds.ts'
import type { TokenUnits } from '@sluice/protocol/money.ts'
import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError, invalidInput } from '../../kernel/api-error.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type Actor, audit } from '../../receipts/actor.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { transactionTaken } from '../../receipts/refunds/log-refund.ts'
import { isMissing, type Refund } from '../../receipts/refunds/refund.ts'
import { findRefund, insertRefund } from '../../receipts/refunds/store.ts'
import { lockReceipt } from '../../receipts/store.ts'
import type { Claim } from '../claims/claim.ts'
import { listClaims } from '../claims/store.ts'
import { findTags } from '../cursors/store.ts'
import { nudgeAfterNews } from '../indexer/apply-step.ts'
import {
  type Decision,
  lockUnmatched,
  type StoredUnmatched,
  saveDecision,
} from '../ledger/unmatched-store.ts'
import { type ApplyNeeds, applyUnmatched, readApplyRate } from './apply-unmatched.ts'

export type DecideNeeds = Omit<ApplyNeeds, 'tx'> & { readonly db: Database; readonly secrets: Secrets }

/**
 * Applies, refunds or keeps an unmatched payment. Only `kept` can be changed later; a repeated decision
 * changes nothing.
 *
 * A refund with a transaction stays open until the transaction is final. Until then no other decision is
 * allowed, unless the transaction is missing from the chain.
 *
 * @throws {ApiError} `not_found`; `idempotency_conflict` after another decision, or if the transaction
 * belongs to another refund; `invalid_input` until the block is final. Applying also throws `invalid_input`
 * and `split_required`.
 * @throws {RateUnavailable} from applying.
 */
export async function decideUnmatched(
  needs: DecideNeeds,
  merchant: Wallet,
  actor: Actor,
  id: string,
  request: UnmatchedDecisionRequest,
): Promise<StoredUnmatched> {
  const target = request.action === 'apply' ? parseTarget(request) : undefined
  const known = await getUnmatched(needs.db, merchant, id)
  const around =
    target && isOpenState(known) ? { ...(await readApplyRate(needs, known)), by: actor.wallet } : undefined
  const { payment, isNew } = await needs.db.transaction(async (tx) => {
    const receipt = target && (await lockReceipt(tx, merchant, target))
    if (target && !receipt) throw new ApiError('not_found', 'Receipt not found')
    const locked = await lockUnmatched(tx, merchant, id)
    if (!locked) throw notFound()
    const refundId = locked.decision?.refundId
    const made = refundId ? await findRefund(tx, merchant, refundId) : undefined
    const isFree = isOpenState(locked) && (!made || (isMissing(made) && !isSameRefund(made, request)))
    if (!isFree) return { payment: sameOrConflict(locked, made, request), isNew: false }
    // Before finality, a reorg could move the payment, which would allow a second decision.
    if (locked.block.number > (await findTags(tx, needs.chain.id)).final)
      throw invalidInput({ path: 'action', message: 'The payment is not final yet; try again later' })
    const decision = { ...undecided, note: request.note, by: actor.wallet, at: needs.clock.now() }
    const outcome =
      receipt && around
        ? await apply({ ...needs, tx }, locked, receipt, around, decision)
        : request.action === 'refund'
          ? await logReturn({ ...needs, tx }, locked, request, decision)
          : await keep(tx, locked, decision)
    const { receiptId, txHash, claimId, note } = request
    const details = { action: request.action, receiptId, txHash, claimId, note }
    await audit({ ...needs, tx }, actor, { merchant, action: 'payment.decided', subject: id, details })
    return outcome
  })
  if (isNew) await nudgeAfterNews(needs)
  return payment
}

const undecided = { appliedTo: undefined, refundId: undefined } as const

type Outcome = { payment: StoredUnmatched; isNew: boolean }
type TxNeeds = ApplyNeeds & { readonly secrets: Secrets }

async function apply(
  needs: TxNeeds,
  payment: StoredUnmatched,
  receipt: Receipt,
  around: Parameters<typeof applyUnmatched>[3],
  decision: Decision,
): Promise<Outcome> {
  const made = { ...decision, appliedTo: receipt.id }
  await saveDecision(needs.tx, payment, 'applied', made)
  const { isNew } = await applyUnmatched(needs, payment, receipt, around)
  return { payment: { ...payment, state: 'applied', decision: made }, isNew }
}

async function logReturn(
  needs: TxNeeds,
  payment: StoredUnmatched,
  { txHash, claimId }: UnmatchedDecisionRequest,
  decision: Decision,
): Promise<Outcome> {
  const { merchant, payer, tokenAddress, amount } = payment
  const claim = claimId === undefined ? undefined : await getClaim(needs.tx, payment, claimId)
  const refundId = generateId(decision.at, needs.random)
  const isInserted = await insertRefund(needs.tx, {
    merchant,
    id: refundId,
    kind: 'unmatched',
    receiptId: undefined,
    unmatchedId: payment.id,
    // A payer who used an exchange enters another address, because the exchange could not assign a refund to
    // the payer.
    buyer: claim?.refundAddress ?? payer,
    usdCents: undefined,
    items: undefined,
    tokenAddress,
    units: amount as TokenUnits,
    txHash: txHash?.toLowerCase() as `0x${string}` | undefined,
    mark: undefined,
    error: undefined,
    madeBy: decision.by,
    madeAt: decision.at,
    markedAt: undefined,
  })
  if (!isInserted) throw transactionTaken()
  const made = { ...decision, refundId }
  const state = txHash ? 'open' : 'refunded'
  await saveDecision(needs.tx, payment, state, made)
  return { payment: { ...payment, state, decision: made }, isNew: false }
}

async function getClaim(tx: Database, { merchant, id }: StoredUnmatched, claimId: string): Promise<Claim> {
  const claim = (await listClaims(tx, merchant, id)).find((each) => each.id === claimId)
  if (!claim) throw invalidInput({ path: 'claimId', message: 'is not a claim for this payment' })
  return claim
}

async function keep(tx: Database, payment: StoredUnmatched, decision: Decision): Promise<Outcome> {
  await saveDecision(tx, payment, 'kept', decision)
  return { payment: { ...payment, state: 'kept', decision }, isNew: false }
}

function isOpenState({ state }: StoredUnmatched): boolean {
  return state === 'open' || state === 'kept'
}

function isSameRefund(made: Refund, { action, txHash }: UnmatchedDecisionRequest): boolean {
  return action === 'refund' && made.txHash === txHash?.toLowerCase()
}

function sameOrConflict(
  payment: StoredUnmatched,
  made: Refund | undefined,
  request: UnmatchedDecisionRequest,
): StoredUnmatched {
  const { state, decision } = payment
  const isSame = made
    ? isSameRefund(made, request)
    : request.action === 'apply' && state === 'applied' && decision?.appliedTo === request.receiptId
  if (isSame) return payment
  const why = isOpenState(payment) ? 'has a refund that is not verified yet' : `is already ${state}`
  throw new ApiError('idempotency_conflict', `This payment ${why} and cannot be resolved again`)
}

function parseTarget({ receiptId }: UnmatchedDecisionRequest) {
  const id = parseReceiptId(receiptId)
  if (!id)
    throw invalidInput({
      path: 'receiptId',
      message: 'must be the id of the receipt to apply the payment to',
    })
  return id
}

async function getUnmatched(db: Database, merchant: Wallet, id: string): Promise<StoredUnmatched> {
  const payment = await db.transaction((tx) => lockUnmatched(tx, merchant, id))
  if (!payment || payment.state === 'orphaned') throw notFound()
  return payment
}

function notFound(): ApiError {
  return new ApiError('not_found', 'Payment not found')
}
