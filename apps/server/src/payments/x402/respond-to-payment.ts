import { parseWallet } from '@sluice/protocol/wallet.ts'
import type { X402Settlement } from '@sluice/protocol/x402/messages.ts'
import { ApiError } from '../../kernel/api-error.ts'
import { type Clock, wait } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { listAttempts } from '../attempts/store.ts'
import type { Asked, FindCheckoutNeeds } from '../checkout/find-checkout.ts'
import type { RelayError, RelayedPayment } from '../relaying/authorization.ts'
import { findRelay } from '../relaying/store.ts'
import { isUnderWay, submitAuthorization } from '../relaying/submit-authorization.ts'
import { networkName } from './facilitator.ts'
import { type FoundBill, loadBill, type OfferBillNeeds, offerBill } from './load-bill.ts'
import {
  busyResponse,
  closedResponse,
  malformedResponse,
  type ProgramResponse,
  requiredResponse,
  takenResponse,
  viewRequired,
} from './program-response.ts'
import {
  apiErrorOf,
  paymentErrors,
  type RefusedPayment,
  readPaymentHeader,
  type SentPayment,
  type SignedAuthorization,
} from './read-payment-header.ts'

/**
 * Submits the payment in the PAYMENT-SIGNATURE header, and waits up to 15 s until it is mined.
 *
 * Safe to repeat: the same header returns the current state. Only the watcher credits the receipt.
 *
 * See docs/contract.md#x402.
 *
 * @throws {ApiError} `not_found`.
 * @throws {ChainUnavailable}
 * @throws {RateUnavailable}
 */
export async function respondToPayment(
  needs: BillResponseNeeds,
  asked: AskedBill,
  header: string,
): Promise<ProgramResponse> {
  const network = networkName(needs.chain.id)
  const sent = readPaymentHeader(header)
  if ('reason' in sent) return malformedResponse(refusedOf(sent, { network }))
  const found = await loadBill(needs, asked.id, asked)
  const said = { network, ...(sent.authorization && { payer: sent.authorization.from }) }
  const refuse = (why: RefusedPayment) =>
    askToPay(needs, asked, found, { why: why.reason, refused: refusedOf(why, said) })

  const attempts = await listAttempts(needs.db, found.receipt.merchant, found.receipt.id)
  const chosen = evaluateChoice(sent, needs.chain.id, attempts)
  if ('reason' in chosen) return refuse(chosen)
  const known = await findRelay(needs.db, keyOf(chosen))
  const relay = known?.attemptId === chosen.attempt.id ? known : undefined
  if (!relay && found.bill !== 'open') return refuse(apiErrorOf('already_paid'))
  if (relay) return follow(needs, asked, relay)
  const { attempt, signed } = chosen
  const { signature, ...authorization } = signed
  const { merchant, receiptId, id: attemptId } = attempt
  const signedWith = { way: 'authorization', authorization, signature } as const
  const submitted = { merchant, receiptId, attemptId, ...signedWith }
  const outcome = await submitAuthorization(needs, submitted)
  if (outcome.kind === 'accepted') return follow(needs, asked, outcome.relay)
  const { reason } = outcome
  if (reason === 'payment_under_way') return busyResponse(found.shown, refusedOf(apiErrorOf(reason), said))
  return refuse(explain(reason))
}

async function follow(
  needs: BillResponseNeeds,
  asked: AskedBill,
  taken: RelayedPayment,
): Promise<ProgramResponse> {
  const relay = await awaitRelay(needs, taken)
  const { payer, reason, txHash: transaction = '' } = relay
  const said = { network: networkName(needs.chain.id), payer }
  if (relay.state === 'failed') {
    const why = apiErrorOf(reason ?? 'reverted')
    const refused = refusedOf(why, { ...said, transaction })
    return askToPay(needs, asked, await loadBill(needs, asked.id, asked), { why: why.reason, refused })
  }
  const isMined = relay.state === 'mined'
  const { shown, bill } = isMined
    ? await awaitCredit(needs, () => loadBill(needs, asked.id, asked))
    : await loadBill(needs, asked.id, asked)
  const { receiptId, recipient } = shown.view
  const extra = { receiptId, recipient, receiptUrl: shown.places.receiptUrl }
  if (!isMined) {
    const message =
      'The payment was sent but is not in a block yet; repeat this request with the same signature'
    const pending = refusedOf({ reason: paymentErrors.pending, message }, { ...said, transaction })
    return takenResponse(shown, bill, { ...pending, extra })
  }
  const amount = relay.amount.toString()
  return takenResponse(shown, bill, { success: true, ...said, transaction, amount, extra })
}

function refusedOf(
  { reason, message }: RefusedPayment,
  said: { readonly network: string; readonly payer?: string; readonly transaction?: string },
): X402Settlement {
  return { success: false, errorReason: reason, errorMessage: message, transaction: '', ...said }
}

/** The payer signed the offered amount, so a mismatch means that the offer has changed. */
function explain(reason: RelayError): RefusedPayment {
  return apiErrorOf(reason === 'amount_mismatch' ? 'attempt_closed' : reason)
}

function keyOf({ attempt: { chain, token }, signed: { from, nonce } }: ChosenPayment) {
  return { chain, tokenAddress: token.address, payer: from, nonce }
}

type BillResponseNeeds = FindCheckoutNeeds & OfferBillNeeds

type AskedBill = Asked & { readonly id: string }

/**
 * Returns the payment requirements of a receipt, or the reason why no payment is due.
 *
 * @throws {ApiError} `not_found`; `invalid_amount` outside the limits.
 * @throws {ChainUnavailable}
 * @throws {RateUnavailable}
 */
export async function respondWithBill(needs: BillResponseNeeds, asked: AskedBill): Promise<ProgramResponse> {
  const found = await loadBill(needs, asked.id, asked)
  return askToPay(needs, asked, found, { why: 'PAYMENT-SIGNATURE header is required' })
}

async function askToPay(
  needs: BillResponseNeeds,
  asked: AskedBill,
  { receipt, shown, bill }: FoundBill,
  says: { readonly why: string; readonly refused?: X402Settlement },
): Promise<ProgramResponse> {
  if (bill !== 'open') return closedResponse(shown, bill, says.refused)
  try {
    const accepts = await offerBill(needs, receipt)
    const why = accepts.length > 0 ? says.why : nobodySubmits
    const after = shown.view.attempt ? { shown } : await loadBill(needs, asked.id, asked)
    const required = viewRequired(after.shown.view, after.shown.places, accepts, why)
    return requiredResponse(after.shown, required, says.refused)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // The receipt may have been paid, canceled or replaced in the meantime.
    const after = await loadBill(needs, asked.id, asked)
    if (after.bill === 'open') throw error
    return closedResponse(after.shown, after.bill, says.refused)
  }
}

const nobodySubmits =
  'Signed payments are not available here; pay with your own transaction: POST /api/checkout/{id}/attempts'

const longestWaitMs = 15_000
const longestCreditMs = 5_000

const firstPauseMs = 100
const longestPauseMs = 1_000

type Needs = { readonly db: Database; readonly clock: Clock }

async function awaitRelay(needs: Needs, taken: RelayedPayment): Promise<RelayedPayment> {
  const look = async () => (await findRelay(needs.db, taken)) ?? taken
  return until(needs.clock, longestWaitMs, look, (relay) => !isUnderWay(relay))
}

async function awaitCredit(needs: Needs, look: () => Promise<FoundBill>): Promise<FoundBill> {
  await notifyJob(needs, jobNames.scanTransfers)
  return until(needs.clock, longestCreditMs, look, ({ bill }) => bill !== 'open')
}

async function until<T>(
  clock: Clock,
  limitMs: number,
  look: () => Promise<T>,
  isOver: (found: T) => boolean,
): Promise<T> {
  const end = clock.now() + limitMs
  let pauseMs = firstPauseMs
  for (;;) {
    const found = await look()
    if (isOver(found) || clock.now() + pauseMs > end) return found
    await wait(clock, pauseMs)
    pauseMs = Math.min(longestPauseMs, (pauseMs * 3) / 2)
  }
}

type ChosenPayment = { readonly attempt: Attempt; readonly signed: SignedAuthorization }

/** Matches a payment to an attempt by the signed address. Pure. `submitAuthorization` validates the rest. */
function evaluateChoice(
  { accepted, authorization: signed }: SentPayment,
  chain: number,
  attempts: readonly Attempt[],
): ChosenPayment | RefusedPayment {
  const network = networkName(chain)
  if (accepted.scheme !== 'exact') return refuse('scheme', 'Only the scheme exact is accepted')
  if (accepted.network !== network) return refuse('network', `Payments are accepted only on ${network}`)
  if (!signed)
    return refuse('payloadType', 'Only EIP-3009 authorizations (payload.authorization) are accepted')
  const attempt = attempts.find(({ depositAddress }) => depositAddress === signed.to)
  if (!attempt || parseWallet(accepted.payTo) !== signed.to)
    return refuse('recipient', 'The signed recipient does not match payTo in the requirements')
  if (parseWallet(accepted.asset) !== attempt.token.address)
    return refuse('requirements', 'The asset does not match the requirements')
  if (accepted.amount !== signed.value.toString())
    return refuse('amount', 'The signed value does not match the amount in the requirements')
  return { attempt, signed }
}

function refuse(word: keyof typeof paymentErrors, message: string): RefusedPayment {
  return { reason: paymentErrors[word], message }
}
