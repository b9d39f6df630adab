import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { SignatureRequest, SignatureRequestView } from '@sluice/protocol/api/paying/signed-payments.ts'
import type { TokenUnits } from '@sluice/protocol/money.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, encodeFunctionData, erc20Abi, hexToBigInt } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import { invalidInput } from '../../kernel/api-error.ts'
import type { Database } from '../../platform/database/database.ts'
import { customerTotalCents, type Receipt } from '../../receipts/receipt.ts'
import { authorizationTypes, type TokenDomain } from '../relaying/authorization.ts'
import type { SigningWay } from '../relaying/find-signing-token.ts'
import { permitTypes, pullerAddress, readPermitNonce } from '../relaying/permit.ts'
import {
  askApproved,
  askNonce,
  isNonceUsed,
  permit2Domain,
  permit2Message,
  permit2Types,
} from '../relaying/permit2.ts'
import type { Submitter } from '../relaying/relayer.ts'
import { hasOpenPermit, listRelaysOfReceipt } from '../relaying/store.ts'
import { isUnderWay } from '../relaying/submit-authorization.ts'
import { type OpenAttemptNeeds, openPrepared, prepareAttempt } from './open-attempt.ts'
import { refuseSignature } from './submit-signature.ts'

export type RequestSignatureNeeds = OpenAttemptNeeds & { readonly relayer: Submitter | undefined }

const longestMs = 15 * 60_000

/**
 * Returns the message that pays an attempt with one signature; opens the attempt if necessary. Does not store
 * the message: the signed message is validated on submission.
 *
 * @throws {ApiError} as {@link refuseSignature} and {@link prepareAttempt}.
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
  if ((await relayer.readState(way?.kind)).error) throw refuseSignature('relayer_unavailable')
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
  const [response] = await chain.callMany([{ to: token, data }])
  return response?.ok && response.data.length === 66 ? hexToBigInt(response.data) : 0n
}

type PaymentToSign = {
  readonly token: Wallet
  readonly payer: Wallet
  readonly attempt: Pick<AttemptView, 'depositAddress' | 'remaining'>
  readonly end: number
}

const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

function authorizationData(
  domain: TokenDomain,
  { payer, attempt, end }: PaymentToSign,
  nonce: Hex,
): SignatureRequestView['typedData'] {
  return {
    types: {
      EIP712Domain: domainFields,
      TransferWithAuthorization: authorizationTypes.TransferWithAuthorization.map((each) => ({ ...each })),
    },
    primaryType: 'TransferWithAuthorization',
    domain: { ...domain },
    message: {
      from: payer,
      to: attempt.depositAddress,
      value: attempt.remaining,
      validAfter: '0',
      validBefore: String(end),
      nonce,
    },
  }
}

/**
 * Builds the EIP-2612 permit for the puller of the deposit address. Permit nonces are sequential, so a payer
 * has at most one open permit per token.
 *
 * @throws {ApiError} as {@link refuseSignature}.
 * @throws {ChainUnavailable}
 */
async function permitData(
  { db, chain }: { db: Database; chain: Pick<Chain, 'id' | 'callMany' | 'pullFactory'> },
  domain: TokenDomain,
  { token, payer, attempt, end }: PaymentToSign,
): Promise<SignatureRequestView['typedData']> {
  if (!chain.pullFactory) throw refuseSignature('token_not_supported')
  if (await hasOpenPermit(db, { chain: chain.id, tokenAddress: token, payer }))
    throw refuseSignature('payer_busy')
  const nonce = await readPermitNonce(chain, token, payer)
  if (nonce === undefined) throw refuseSignature('token_not_supported')
  const spender = pullerAddress(chain.pullFactory, {
    depositAddress: attempt.depositAddress as Wallet,
    tokenAddress: token,
    amount: BigInt(attempt.remaining) as TokenUnits,
    validBefore: BigInt(end) + 1n,
  })
  return {
    types: { EIP712Domain: domainFields, Permit: permitTypes.Permit.map((each) => ({ ...each })) },
    primaryType: 'Permit',
    domain: { ...domain },
    message: { owner: payer, spender, value: attempt.remaining, nonce: String(nonce), deadline: String(end) },
  }
}

/**
 * Builds the Permit2 message, with the pull factory as spender. The payer must have approved Permit2 already,
 * in a transaction that costs gas.
 *
 * @throws {ApiError} as {@link refuseSignature}.
 * @throws {ChainUnavailable}
 */
async function permit2Data(
  { chain }: { chain: Pick<Chain, 'id' | 'callMany' | 'pullFactory'> },
  { token, payer, attempt, end }: PaymentToSign,
): Promise<SignatureRequestView['typedData']> {
  if (!chain.pullFactory) throw refuseSignature('token_not_supported')
  const pull = {
    depositAddress: attempt.depositAddress as Wallet,
    tokenAddress: token,
    amount: BigInt(attempt.remaining) as TokenUnits,
    validBefore: BigInt(end) + 1n,
  }
  const responses = await chain.callMany([askApproved(token, payer), askNonce(pull, payer)])
  const [approved, word] = responses.map((each) =>
    each.ok && each.data.length === 66 ? hexToBigInt(each.data) : undefined,
  )
  if (approved === undefined || approved < pull.amount) throw refuseSignature('not_approved')
  if (word !== undefined && isNonceUsed(pull, word)) throw refuseSignature('authorization_used')
  const { permitted, spender, nonce, deadline, witness } = permit2Message(chain.pullFactory, pull)
  const types = Object.entries(permit2Types).map(([name, fields]) => [
    name,
    fields.map((each) => ({ ...each })),
  ])
  return {
    types: {
      // Permit2's domain has no version.
      EIP712Domain: domainFields.filter(({ name }) => name !== 'version'),
      ...Object.fromEntries(types),
    },
    primaryType: 'PermitWitnessTransferFrom',
    domain: permit2Domain(chain.id),
    message: {
      permitted: { token: permitted.token, amount: String(permitted.amount) },
      spender,
      nonce: String(nonce),
      deadline: String(deadline),
      witness,
    },
  }
}
