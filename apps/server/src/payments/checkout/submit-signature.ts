import type { SignatureSubmission, SignedPaymentView } from '@sluice/protocol/api/paying/signed-payments.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import type { Authorization } from '../relaying/authorization.ts'
import { readPermit } from '../relaying/permit.ts'
import { type SubmitNeeds, submitAuthorization } from '../relaying/submit-authorization.ts'
import { refuseSignature } from './refuse-signature.ts'
import { viewSignedPayment } from './view-signed-payment.ts'

/** Unix seconds beyond any that is meant. */
const endOfTime = 100_000_000_000n
/** What a word of a contract holds. */
const endOfNonces = 2n ** 256n

/**
 * Takes a buyer's signature for a receipt. Safe to repeat while it is under way.
 *
 * @throws {Refusal} as {@link refuseSignature}.
 * @throws {ChainUnavailable}
 */
export async function submitSignature(
  needs: SubmitNeeds,
  { merchant, id: receiptId }: Receipt,
  { attemptId, authorization, signature }: SignatureSubmission,
): Promise<SignedPaymentView> {
  const outcome = await submitAuthorization(needs, {
    merchant,
    receiptId,
    attemptId,
    ...readMessage(authorization),
    signature: signature.toLowerCase() as Hex,
  })
  if (outcome.kind === 'refused') throw refuseSignature(outcome.reason)
  return viewSignedPayment(outcome.relay)
}

/** What was signed, as it came over the wire; its form was checked. */
function readMessage(sent: SignatureSubmission['authorization']): {
  authorization: Authorization
  permitNonce?: bigint
} {
  if ('owner' in sent) {
    const permitNonce = BigInt(sent.nonce)
    if (permitNonce >= endOfNonces)
      throw invalidInput({ path: 'authorization/nonce', message: 'must be the next one of its owner' })
    const authorization = readPermit({
      owner: addressOf(sent.owner),
      spender: addressOf(sent.spender),
      value: BigInt(sent.value),
      nonce: permitNonce,
      deadline: secondsOf('deadline', sent.deadline),
    })
    return { authorization, permitNonce }
  }
  const authorization = {
    from: addressOf(sent.from),
    to: addressOf(sent.to),
    value: BigInt(sent.value),
    validAfter: secondsOf('validAfter', sent.validAfter),
    validBefore: secondsOf('validBefore', sent.validBefore),
    nonce: sent.nonce.toLowerCase() as Hex,
  }
  return { authorization }
}

function addressOf(text: string): Wallet {
  const wallet = parseWallet(text)
  assert(wallet, 'the schema takes addresses only')
  return wallet
}

function secondsOf(name: string, text: string): bigint {
  const seconds = BigInt(text)
  if (seconds <= endOfTime) return seconds
  throw invalidInput({ path: `authorization/${name}`, message: 'must be a time in Unix seconds' })
}
