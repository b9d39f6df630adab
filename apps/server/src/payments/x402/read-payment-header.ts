import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { x402ExactPayload, x402PaymentPayload, x402Version } from '@sluice/protocol/x402/messages.ts'
import type { Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Hex } from '../../chain/chain.ts'
import { readJson } from '../../kernel/read-json.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { issuesOf } from '../../kernel/text/schema-issues.ts'
import { paymentFaults, type RefusedPayment } from './refused-payment.ts'

/** What is read of the header at most, in bytes; the signature of a smart account is a few kilobytes. */
export const maxPaymentHeaderBytes = 8 * 1024

/** The transfer that a payer has signed. */
export type SignedAuthorization = {
  readonly from: Wallet
  readonly to: Wallet
  readonly value: bigint
  /** Unix seconds. */
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
}

/** A payment as it was sent: the way that the payer chose, and the transfer signed for it. */
export type SentPayment = {
  readonly accepted: Static<typeof x402PaymentPayload>['accepted']
  /** Absent where the payload is another kind of signature than EIP-3009's. */
  readonly authorization: SignedAuthorization | undefined
}

const anyPayload = Compile(x402PaymentPayload)
const exactPayload = Compile(x402ExactPayload)

/**
 * The payment in the header PAYMENT-SIGNATURE; or what is wrong with it. Pure, and bounded in bytes and depth.
 *
 * @param header - As it came; several of them arrive as one text with commas, which is no base64.
 */
export function readPaymentHeader(header: string): SentPayment | RefusedPayment {
  if (header.length > maxPaymentHeaderBytes) return malformed(`is longer than ${maxPaymentHeaderBytes} bytes`)
  const sent = decode(header)
  if (typeof sent !== 'object' || sent === null) return malformed('must be one base64 text of a JSON object')
  const { x402Version: version } = sent as { x402Version?: unknown }
  if (version !== x402Version)
    return { reason: paymentFaults.version, message: `This service speaks version ${x402Version} of x402` }
  if (!anyPayload.Check(sent)) return malformed(`is not a payment: ${faultOf(anyPayload, sent)}`)
  const { accepted, payload } = sent
  if (!('authorization' in payload)) return { accepted, authorization: undefined }
  if (!exactPayload.Check(payload))
    return malformed(`is not an EIP-3009 authorization: payload/${faultOf(exactPayload, payload)}`)
  const authorization = readAuthorization(payload)
  if (!authorization) return malformed('is not an EIP-3009 authorization: a number is above 2^256')
  return { accepted, authorization }
}

function decode(header: string): unknown {
  if (header.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(header)) return undefined
  try {
    return readJson(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'base64')))
  } catch (error) {
    if (error instanceof Refusal || error instanceof TypeError) return undefined
    throw error
  }
}

function readAuthorization({
  authorization,
  signature,
}: Static<typeof x402ExactPayload>): SignedAuthorization | undefined {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const [payer, payee] = [parseWallet(from), parseWallet(to)]
  const numbers = { value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) }
  const isTooLarge = Object.values(numbers).some((number) => number >= 2n ** 256n)
  if (!payer || !payee || isTooLarge) return undefined
  const lower = (hex: string) => hex.toLowerCase() as Hex
  return { from: payer, to: payee, ...numbers, nonce: lower(nonce), signature: lower(signature) }
}

function faultOf(check: typeof anyPayload | typeof exactPayload, value: unknown): string {
  const [first] = issuesOf(check.Errors(value))
  return first ? `${first.path} ${first.message}` : 'it has another form'
}

function malformed(what: string): RefusedPayment {
  return { reason: paymentFaults.malformed, message: `PAYMENT-SIGNATURE ${what}` }
}
