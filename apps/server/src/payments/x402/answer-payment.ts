import type { X402Settlement } from '@sluice/protocol/x402/messages.ts'
import { listAttempts } from '../attempts/store.ts'
import type { RelayedPayment, RelayFault } from '../relaying/authorization.ts'
import { findRelay } from '../relaying/store.ts'
import { submitAuthorization } from '../relaying/submit-authorization.ts'
import { type AnswerBillNeeds, type AskedBill, askToPay } from './answer-bill.ts'
import { awaitCredit, awaitRelay } from './await-relay.ts'
import { networkName } from './facilitator.ts'
import { type ChosenPayment, judgeChoice } from './judge-choice.ts'
import { loadBill } from './load-bill.ts'
import { answerBusy, answerMalformed, answerTaken, type ProgramAnswer } from './program-answer.ts'
import { readPaymentHeader } from './read-payment-header.ts'
import { paymentFaults, type RefusedPayment, refusalOf } from './refused-payment.ts'

/**
 * Takes the payment in the header PAYMENT-SIGNATURE for a receipt, and waits for a while until it is in the chain.
 *
 * Safe to repeat: the same header asks what became of it. The receipt is credited by the watcher, which sees the money
 * like any other; what is answered here decides nothing about it.
 *
 * @throws {Refusal} `not_found`, as the checkout does.
 * @throws {ChainUnavailable}
 * @throws {RateUnavailable}
 */
export async function answerPayment(
  needs: AnswerBillNeeds,
  asked: AskedBill,
  header: string,
): Promise<ProgramAnswer> {
  const network = networkName(needs.chain.id)
  const sent = readPaymentHeader(header)
  if ('reason' in sent) return answerMalformed(refusedOf(sent, { network }))
  const found = await loadBill(needs, asked.id, asked)
  const said = { network, ...(sent.authorization && { payer: sent.authorization.from }) }
  const refuse = (why: RefusedPayment) =>
    askToPay(needs, asked, found, { why: why.reason, refused: refusedOf(why, said) })

  const attempts = await listAttempts(needs.db, found.receipt.merchant, found.receipt.id)
  const chosen = judgeChoice(sent, needs.chain.id, attempts)
  if ('reason' in chosen) return refuse(chosen)
  const known = await findRelay(needs.db, keyOf(chosen))
  const relay = known?.attemptId === chosen.attempt.id ? known : undefined
  if (!relay && found.bill !== 'open') return refuse(refusalOf('already_paid'))
  if (relay) return follow(needs, asked, relay)
  const { attempt, signed } = chosen
  const { signature, ...authorization } = signed
  const { merchant, receiptId, id: attemptId } = attempt
  const signedWith = { way: 'authorization', authorization, signature } as const
  const submitted = { merchant, receiptId, attemptId, ...signedWith }
  const outcome = await submitAuthorization(needs, submitted)
  if (outcome.kind === 'accepted') return follow(needs, asked, outcome.relay)
  const { reason } = outcome
  if (reason === 'payment_under_way') return answerBusy(found.shown, refusedOf(refusalOf(reason), said))
  return refuse(explain(reason))
}

/** Waits for what was taken, and tells what became of it. */
async function follow(
  needs: AnswerBillNeeds,
  asked: AskedBill,
  taken: RelayedPayment,
): Promise<ProgramAnswer> {
  const relay = await awaitRelay(needs, taken)
  const { payer, reason, txHash: transaction = '' } = relay
  const said = { network: networkName(needs.chain.id), payer }
  if (relay.state === 'failed') {
    const why = refusalOf(reason ?? 'reverted')
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
    const message = 'The payment is sent but not yet in a block; repeat this request, with the same signature'
    const pending = refusedOf({ reason: paymentFaults.pending, message }, { ...said, transaction })
    return answerTaken(shown, bill, { ...pending, extra })
  }
  const amount = relay.amount.toString()
  return answerTaken(shown, bill, { success: true, ...said, transaction, amount, extra })
}

function refusedOf(
  { reason, message }: RefusedPayment,
  said: { readonly network: string; readonly payer?: string; readonly transaction?: string },
): X402Settlement {
  return { success: false, errorReason: reason, errorMessage: message, transaction: '', ...said }
}

/** What was signed is the amount of the offer: where another is asked for, the offer has changed since. */
function explain(fault: RelayFault): RefusedPayment {
  return refusalOf(fault === 'amount_mismatch' ? 'attempt_closed' : fault)
}

function keyOf({ attempt: { chain, token }, signed: { from, nonce } }: ChosenPayment) {
  return { chain, tokenAddress: token.address, payer: from, nonce }
}
