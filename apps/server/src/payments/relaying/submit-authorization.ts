import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { addMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { customerTotalCents, type Receipt } from '../../receipts/receipt.ts'
import { findReceipt, lockReceipt } from '../../receipts/store.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { listAttempts } from '../attempts/store.ts'
import { askedUnits } from '../ledger/evaluate-payment.ts'
import { sumLivePayments } from '../ledger/store.ts'
import type { Authorization, RelayError, RelayedPayment, SigningKind } from './authorization.ts'
import { simulateRelay } from './find-use.ts'
import { pullerAddress, validatePermit } from './permit.ts'
import { validatePermit2 } from './permit2.ts'
import type { Submitter } from './relayer.ts'
import { countReverted, findRelay, hasOpenPermit, insertRelay, listRelaysOfReceipt } from './store.ts'
import {
  evaluateReceipt,
  unwrapSignature,
  validateMessage,
  validateSignature,
} from './validate-authorization.ts'

export type SubmitNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly chain: Chain
  readonly relayer: Submitter | undefined
}

export type SubmittedAuthorization = {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId
  readonly attemptId: string
  readonly way: SigningKind
  readonly authorization: Authorization
  readonly permitNonce?: bigint | undefined
  readonly signature: Hex
}

/** `isNew` is false if the same signature was submitted before. */
export type SubmitOutcome =
  | { readonly kind: 'accepted'; readonly relay: RelayedPayment; readonly isNew: boolean }
  | { readonly kind: 'refused'; readonly reason: RelayError }

const mostOfReceipt = 10
const dayMs = 86_400_000

/**
 * Validates a payer's signature for the remaining amount of an attempt, and stores it. Safe to repeat.
 *
 * Checks the message, the signature and a simulated call first. A rejected signature is not stored. The
 * watcher credits the payment when it arrives, so this result never changes the receipt.
 *
 * See docs/contract.md#gasless-payments.
 *
 * @throws {ChainUnavailable}
 */
export async function submitAuthorization(
  needs: SubmitNeeds,
  submitted: SubmittedAuthorization,
): Promise<SubmitOutcome> {
  const { db, chain, clock, relayer } = needs
  const refuse = (reason: RelayError) => ({ kind: 'refused', reason }) as const
  if (!relayer || (await relayer.readState(submitted.way)).error) return refuse('relayer_unavailable')
  const { authorization } = submitted
  const { receipt, attempt, reason } = await evaluateNow(needs, relayer, submitted, findReceipt)
  const known = attempt && (await findRelay(db, keyOf(attempt, authorization)))
  if (known && isOfSame(known, submitted)) return again(known)
  if (reason) return refuse(reason)
  assert(receipt && attempt, 'unknown kinds are rejected')

  const unwrapped = await unwrapSignature(chain, authorization.from, submitted.signature)
  if ('reason' in unwrapped) return refuse(unwrapped.reason)
  const signed = { ...submitted, ...unwrapped }
  const relay = makeRelay(needs, signed, attempt)
  const message = validateMessage(authorization, payeeOf(chain, relay), chain.time.now())
  if (message) return refuse(message)
  if (known) return refuse('authorization_used')
  if ((await countReverted(db, chain.id, authorization.from, addMs(clock.now(), -dayMs))) > 0)
    return refuse('payer_blocked')
  const unsigned = await validateSigned(needs, relayer, signed, relay, attempt)
  if (unsigned) return refuse(unsigned)
  // Checked before the simulation and the lock, so that many buyers of one receipt do not delay others.
  const busy = await findBusy(db, relay)
  const simulated = busy ? undefined : await simulateRelay(chain, relayer, relay)
  if (simulated) return refuse(simulated)
  const stored = busy ?? (await storeRelay(needs, relayer, signed, relay))
  if (stored === 'authorization_used' || stored === 'payment_under_way' || stored === 'payer_busy') {
    // The same signature, submitted twice concurrently, is one payment.
    const first = await findRelay(db, relay)
    return first && isOfSame(first, submitted) ? again(first) : refuse(stored)
  }
  if (stored) return refuse(stored)
  await notifyJob(needs, jobNames.relayPayments)
  return { kind: 'accepted', relay, isNew: true }
}

async function findBusy(db: Database, relay: RelayedPayment): Promise<RelayError | undefined> {
  const others = await listRelaysOfReceipt(db, relay.merchant, relay.receiptId)
  if (others.some(isUnderWay)) return 'payment_under_way'
  return relay.way === 'permit' && (await hasOpenPermit(db, relay)) ? 'payer_busy' : undefined
}

function storeRelay(
  needs: SubmitNeeds,
  relayer: Submitter,
  submitted: SubmittedAuthorization,
  relay: RelayedPayment,
): Promise<RelayError | undefined> {
  return needs.db.transaction(async (tx) => {
    const now = await evaluateNow({ ...needs, db: tx }, relayer, submitted, lockReceipt)
    if (now.reason) return now.reason
    const others = await listRelaysOfReceipt(tx, relay.merchant, relay.receiptId)
    if (others.some(isUnderWay)) return 'payment_under_way'
    if (others.length >= mostOfReceipt) return 'too_many'
    if (await insertRelay(tx, relay)) return undefined
    return relay.way === 'permit' ? 'payer_busy' : 'authorization_used'
  })
}

function payeeOf({ pullFactory }: Chain, relay: RelayedPayment): Wallet {
  const { way, depositAddress } = relay
  return way === 'permit' && pullFactory ? pullerAddress(pullFactory, relay) : depositAddress
}

async function validateSigned(
  { chain }: SubmitNeeds,
  { tokens }: Submitter,
  { way: kind, authorization, permitNonce = 0n, signature }: SubmittedAuthorization,
  relay: RelayedPayment,
  { token }: Attempt,
): Promise<RelayError | undefined> {
  const way = await tokens.findWay(token)
  if (way?.kind !== kind) return 'token_not_supported'
  if (way.kind === 'permit2') return validatePermit2(chain, relay)
  return way.kind === 'permit'
    ? validatePermit(way.domain, authorization, permitNonce, signature)
    : validateSignature(chain, way.domain, authorization, signature)
}

export function isUnderWay({ state }: RelayedPayment): boolean {
  return state === 'waiting' || state === 'sent'
}

function isOfSame(known: RelayedPayment, { merchant, attemptId }: SubmittedAuthorization): boolean {
  return known.merchant === merchant && known.attemptId === attemptId
}

function again(known: RelayedPayment): SubmitOutcome {
  return isUnderWay(known)
    ? { kind: 'accepted', relay: known, isNew: false }
    : { kind: 'refused', reason: 'authorization_used' }
}

async function evaluateNow(
  { db, chain }: SubmitNeeds,
  { terms }: Submitter,
  { merchant, receiptId, attemptId, authorization }: SubmittedAuthorization,
  find: (db: Database, merchant: Wallet, id: ReceiptId) => Promise<Receipt | undefined>,
): Promise<{ receipt?: Receipt; attempt?: Attempt | undefined; reason: RelayError | undefined }> {
  const receipt = await find(db, merchant, receiptId)
  if (!receipt) return { reason: 'attempt_unknown' }
  const attempts = await listAttempts(db, merchant, receiptId)
  const attempt = attempts.find(({ id }) => id === attemptId)
  const live = await sumLivePayments(db, merchant, receiptId)
  const reason = evaluateReceipt(receipt, attempt, {
    value: authorization.value,
    remaining: (each) => askedUnits(customerTotalCents(receipt), live, each),
    minCents: terms.minCents,
    now: chain.time.now(),
  })
  return { receipt, attempt, reason }
}

function keyOf(attempt: Attempt, { from, nonce }: Authorization) {
  return { chain: attempt.chain, tokenAddress: attempt.token.address, payer: from, nonce }
}

function makeRelay(
  { clock }: SubmitNeeds,
  { merchant, receiptId, attemptId, way, authorization, permitNonce, signature }: SubmittedAuthorization,
  attempt: Attempt,
): RelayedPayment {
  const { value, validAfter, validBefore } = authorization
  return {
    ...keyOf(attempt, authorization),
    way,
    permitNonce,
    merchant,
    receiptId,
    attemptId,
    depositAddress: attempt.depositAddress,
    amount: value as TokenUnits,
    validAfter,
    validBefore,
    signature,
    state: 'waiting',
    reason: undefined,
    openedBlock: attempt.openedBlock,
    txHash: undefined,
    txBlock: undefined,
    createdAt: clock.now(),
    askedAt: undefined,
    settledAt: undefined,
  }
}
