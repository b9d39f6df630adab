import { loginDomain } from '@sluice/protocol/api/auth.ts'
import { type ClaimTypedData, claimTypes } from '@sluice/protocol/api/claims.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { hashTypedData } from 'viem'
import type { Hex } from '../../chain/chain.ts'

/** How long a challenge may be answered, as that of a login. */
export const claimChallengeLifeMs = 5 * 60_000

/** What a wallet reads before it signs. */
const purpose = 'Prove that this wallet sent the payment. This signature moves no money.'

const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
]

/** What is asked of a wallet that claims a payment: all that is signed follows from it. */
export type ClaimChallenge = {
  readonly nonce: Hex
  readonly wallet: Wallet
  readonly txHash: Hex
  readonly logIndex: number
  readonly refundAddress: Wallet
  /** Host of the page that claims, so that another site's signature is good for nothing here. */
  readonly host: string
  readonly chainId: number
  readonly issuedAt: UnixMs
  readonly expiresAt: UnixMs
}

/** The typed data of a challenge as `eth_signTypedData_v4` takes it. */
export function claimTypedDataOf({ txHash: transactionHash, ...rest }: ClaimChallenge): ClaimTypedData {
  return {
    domain: { ...loginDomain },
    types: { EIP712Domain: domainFields, Claim: claimTypes.Claim.map((field) => ({ ...field })) },
    primaryType: 'Claim',
    message: { ...rest, transactionHash, purpose },
  }
}

/** The hash a wallet signs for a challenge. */
export function hashClaim(challenge: ClaimChallenge): Hex {
  const { wallet, host, chainId, txHash, logIndex, refundAddress, nonce, issuedAt, expiresAt } = challenge
  return hashTypedData({
    domain: loginDomain,
    types: claimTypes,
    primaryType: 'Claim',
    message: {
      wallet,
      host,
      purpose,
      chainId: BigInt(chainId),
      transactionHash: txHash,
      logIndex: BigInt(logIndex),
      refundAddress,
      nonce,
      issuedAt: BigInt(issuedAt),
      expiresAt: BigInt(expiresAt),
    },
  })
}
