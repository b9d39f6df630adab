import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { SignatureRequestView } from '@sluice/protocol/api/paying/signed-payments.ts'
import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { authorizationTypes, type TokenDomain } from '../relaying/authorization.ts'
import { permitTypes, pullerAddress, readPermitNonce } from '../relaying/permit.ts'
import { hasOpenPermit } from '../relaying/store.ts'
import { refuseSignature } from './refuse-signature.ts'

type TypedData = SignatureRequestView['typedData']

/** A payment that is to be signed. */
export type PaymentToSign = {
  readonly token: Wallet
  readonly payer: Wallet
  readonly attempt: Pick<AttemptView, 'depositAddress' | 'remaining'>
  /** Unix seconds. */
  readonly end: number
}

const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** The message of EIP-3009: what is missing, to the attempt's own deposit address. */
export function authorizationData(
  domain: TokenDomain,
  { payer, attempt, end }: PaymentToSign,
  nonce: Hex,
): TypedData {
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
 * The message of EIP-2612: what is missing, to the puller that pays the attempt's deposit address with it. It counts
 * on from the permits that the payer's wallet has used; so there is one at a time.
 *
 * @throws {Refusal} as {@link refuseSignature}.
 * @throws {ChainUnavailable}
 */
export async function permitData(
  { db, chain }: { db: Database; chain: Pick<Chain, 'id' | 'callMany' | 'pullFactory'> },
  domain: TokenDomain,
  { token, payer, attempt, end }: PaymentToSign,
): Promise<TypedData> {
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
