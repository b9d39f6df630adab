import {
  authorizationMessage,
  permit2Message,
  permitMessage,
  type SignatureSubmission,
  type SignedPaymentView,
} from '@sluice/protocol/api/paying/signed-payments.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { Compile } from 'typebox/compile'
import type { Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { readPermit } from '../relaying/permit.ts'
import { readPermit2 } from '../relaying/permit2.ts'
import {
  type SubmitNeeds,
  type SubmittedAuthorization,
  submitAuthorization,
} from '../relaying/submit-authorization.ts'
import { refuseSignature } from './refuse-signature.ts'
import { viewSignedPayment } from './view-signed-payment.ts'

const isPermit = Compile(permitMessage)
const isPermit2 = Compile(permit2Message)
const isAuthorization = Compile(authorizationMessage)

/** Unix seconds beyond any that is meant. */
const endOfTime = 100_000_000_000n
/** What a word of a contract holds. */
const endOfWords = 2n ** 256n

/**
 * Takes a buyer's signature for a receipt. Safe to repeat while it is under way.
 *
 * @throws {Refusal} as {@link refuseSignature}.
 * @throws {ChainUnavailable}
 */
export async function submitSignature(
  needs: SubmitNeeds,
  { merchant, id: receiptId }: Receipt,
  { attemptId, authorization, payer, signature }: SignatureSubmission,
): Promise<SignedPaymentView> {
  const outcome = await submitAuthorization(needs, {
    merchant,
    receiptId,
    attemptId,
    ...readMessage(authorization, payer, needs.chain.pullFactory),
    signature: signature.toLowerCase() as Hex,
  })
  if (outcome.kind === 'refused') throw refuseSignature(outcome.reason)
  return viewSignedPayment(outcome.relay)
}

/** What was signed, as it came over the wire; its form was checked. */
function readMessage(
  sent: SignatureSubmission['authorization'],
  payer: string | undefined,
  pullFactory: Wallet | undefined,
): Pick<SubmittedAuthorization, 'way' | 'authorization' | 'permitNonce'> {
  if (isPermit2.Check(sent)) {
    if (payer === undefined) throw invalidInput({ path: 'payer', message: 'must be the wallet that signed' })
    const message = {
      permitted: { token: addressOf(sent.permitted.token), amount: wordOf('amount', sent.permitted.amount) },
      spender: addressOf(sent.spender),
      nonce: wordOf('nonce', sent.nonce),
      deadline: secondsOf('deadline', sent.deadline),
      witness: { to: addressOf(sent.witness.to) },
    }
    return { way: 'permit2', authorization: readPermit2(addressOf(payer), message, pullFactory) }
  }
  if (isPermit.Check(sent)) {
    const permitNonce = wordOf('nonce', sent.nonce)
    const authorization = readPermit({
      owner: addressOf(sent.owner),
      spender: addressOf(sent.spender),
      value: BigInt(sent.value),
      nonce: permitNonce,
      deadline: secondsOf('deadline', sent.deadline),
    })
    return { way: 'permit', authorization, permitNonce }
  }
  assert(isAuthorization.Check(sent), 'the schema takes one of the three')
  const authorization = {
    from: addressOf(sent.from),
    to: addressOf(sent.to),
    value: BigInt(sent.value),
    validAfter: secondsOf('validAfter', sent.validAfter),
    validBefore: secondsOf('validBefore', sent.validBefore),
    nonce: sent.nonce.toLowerCase() as Hex,
  }
  return { way: 'authorization', authorization }
}

function wordOf(name: string, text: string): bigint {
  const word = BigInt(text)
  if (word < endOfWords) return word
  throw invalidInput({ path: `authorization/${name}`, message: 'must be a number of at most 256 bits' })
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
