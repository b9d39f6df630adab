import { parseWallet } from '@sluice/protocol/wallet.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { networkName } from './facilitator.ts'
import type { SentPayment, SignedAuthorization } from './read-payment-header.ts'
import { paymentFaults, type RefusedPayment } from './refused-payment.ts'

/** What a payer chose to pay, and the transfer signed for it. */
export type ChosenPayment = { readonly attempt: Attempt; readonly signed: SignedAuthorization }

/**
 * Which attempt of a receipt a payment is for; or why it is for none. Pure. Whether the attempt still stands and what
 * was signed is good is judged where signatures are submitted.
 *
 * @param attempts - Every attempt of the receipt: the address that was signed names one of them.
 */
export function judgeChoice(
  { accepted, authorization: signed }: SentPayment,
  chain: number,
  attempts: readonly Attempt[],
): ChosenPayment | RefusedPayment {
  const network = networkName(chain)
  if (accepted.scheme !== 'exact') return refuse('scheme', 'Only the scheme exact is taken')
  if (accepted.network !== network) return refuse('network', `Payments are taken on ${network} only`)
  if (!signed) return refuse('payloadType', 'Only EIP-3009 authorizations (payload.authorization) are taken')
  const attempt = attempts.find(({ depositAddress }) => depositAddress === signed.to)
  if (!attempt || parseWallet(accepted.payTo) !== signed.to)
    return refuse('recipient', 'The signed recipient is not the payTo of the requirements')
  if (parseWallet(accepted.asset) !== attempt.token.address)
    return refuse('requirements', 'The asset is not the one of the requirements')
  if (accepted.amount !== signed.value.toString())
    return refuse('amount', 'The signed value is not the amount of the requirements')
  return { attempt, signed }
}

function refuse(word: keyof typeof paymentFaults, message: string): RefusedPayment {
  return { reason: paymentFaults[word], message }
}
