import { loginDomain } from '@sluice/protocol/api/auth.ts'
import { type ClaimTypedData, claimTypes } from '@sluice/protocol/api/claims.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { hashTypedData } from 'viem'
import { domainFields, type LoginChallenge } from '../../access/sessions/login-data.ts'
import type { Hex } from '../../chain/chain.ts'

/** What a wallet reads before it signs. */
const purpose = 'Prove that this wallet sent the payment. This signature moves no money.'

/** What is asked of a wallet that claims a payment: as for a login, with what is claimed and where it may go back to. */
export type ClaimChallenge = LoginChallenge & {
  readonly txHash: Hex
  readonly logIndex: number
  readonly refundAddress: Wallet
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
