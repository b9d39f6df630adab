import type { SignatureRequest, SignatureRequestView } from '@sluice/protocol/api/paying/signed-payments.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, encodeFunctionData, erc20Abi, hexToBigInt } from 'viem'
import { invalidInput } from '../../kernel/refusal.ts'
import { customerTotalCents, type Receipt } from '../../receipts/receipt.ts'
import type { SigningWay } from '../relaying/find-signing-token.ts'
import type { Submitter } from '../relaying/relayer.ts'
import { listRelaysOfReceipt } from '../relaying/store.ts'
import { isUnderWay } from '../relaying/submit-authorization.ts'
import { type OpenAttemptNeeds, openPrepared, prepareAttempt } from './open-attempt.ts'
import { permit2Data } from './permit2-data.ts'
import { refuseSignature } from './refuse-signature.ts'
import { authorizationData, type PaymentToSign, permitData } from './typed-data.ts'

/** What requesting a signature leans on. */
export type RequestSignatureNeeds = OpenAttemptNeeds & { readonly relayer: Submitter | undefined }

/** A wallet shows a message at once, and its owner may be slow: the signature is good for no longer. */
const longestMs = 15 * 60_000

/**
 * The message by which a payer pays an attempt with one signature; the attempt is opened where none stands. Nothing
 * of the message is stored: whoever hands it in signed is judged then.
 *
 * @throws {Refusal} as {@link refuseSignature} and {@link prepareAttempt}.
 * @throws {ChainUnavailable}
 */
export async function requestSignature(
  needs: RequestSignatureNeeds,
  receipt: Receipt,
  request: SignatureRequest,
  address: string,
): Promise<SignatureRequestView> {
  const { relayer, chain } = needs
  if (!relayer) throw refuseSignature('relayer_unavailable')
  const payer = parseWallet(request.payer)
  if (!payer) throw invalidInput({ path: 'payer', message: 'must be 0x followed by 40 hexadecimal digits' })
  const token = chain.tokens.find(({ symbol }) => symbol === request.token)
  const way = token && (await relayer.tokens.findWay(token))
  if ((await relayer.readState(way?.kind)).fault) throw refuseSignature('relayer_unavailable')
  if (!way) throw refuseSignature('token_not_supported')
  if (customerTotalCents(receipt) < relayer.terms.minCents) throw refuseSignature('amount_too_small')
  const others = await listRelaysOfReceipt(needs.db, receipt.merchant, receipt.id)
  if (others.some(isUnderWay)) throw refuseSignature('payment_under_way')

  const attempt = await openPrepared(
    needs,
    receipt,
    await prepareAttempt(needs, receipt, { token: request.token }, 'buyer', address),
  )
  if (attempt.remaining === '0') throw refuseSignature('already_paid')
  if ((await readBalance(needs, token.address, payer)) < BigInt(attempt.remaining))
    throw refuseSignature('insufficient_funds')
  const end = Math.floor(Math.min(attempt.expiresAt, chain.time.now() + longestMs) / 1000)
  const payment = { token: token.address, payer, attempt, end }
  const { attemptId } = attempt
  const typedData = await dataOf(needs, way, payment)
  return { attemptId, typedData, expiresAt: end * 1000 }
}

async function dataOf(
  needs: RequestSignatureNeeds,
  way: SigningWay,
  payment: PaymentToSign,
): Promise<SignatureRequestView['typedData']> {
  if (way.kind === 'permit2') return permit2Data(needs, payment)
  if (way.kind === 'permit') return permitData(needs, way.domain, payment)
  return authorizationData(way.domain, payment, bytesToHex(needs.random.bytes(32)))
}

async function readBalance({ chain }: RequestSignatureNeeds, token: Wallet, payer: Wallet): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [payer] })
  const [answer] = await chain.callMany([{ to: token, data }])
  return answer?.ok && answer.data.length === 66 ? hexToBigInt(answer.data) : 0n
}
