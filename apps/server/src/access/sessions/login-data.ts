import { type LoginTypedData, loginDomain, loginTypes } from '@sluice/protocol/api/auth.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Hex, hashTypedData } from 'viem'

/** How long a challenge may be answered (decisions: Access, Login). */
export const challengeLifeMs = 5 * 60_000

/** What a wallet reads before it signs. */
const purpose = 'Log in to the merchant web app. This signature moves no money.'

/** The fields of the domain that wallets sign in, as typed data lists them. */
export const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
]

/** What was asked of a wallet that wants to log in: all that is signed follows from it. */
export type LoginChallenge = {
  readonly nonce: Hex
  readonly wallet: Wallet
  /** Host of the page that logs in, so that another site's signature is good for nothing here. */
  readonly host: string
  readonly chainId: number
  readonly issuedAt: UnixMs
  readonly expiresAt: UnixMs
}

/** The typed data of a challenge as `eth_signTypedData_v4` takes it. */
export function loginTypedData(challenge: LoginChallenge): LoginTypedData {
  return {
    domain: { ...loginDomain },
    types: { EIP712Domain: domainFields, Login: loginTypes.Login.map((field) => ({ ...field })) },
    primaryType: 'Login',
    message: { ...challenge, purpose },
  }
}

/** The hash a wallet signs for a challenge. */
export function hashLogin({ nonce, wallet, host, chainId, issuedAt, expiresAt }: LoginChallenge): Hex {
  return hashTypedData({
    domain: loginDomain,
    types: loginTypes,
    primaryType: 'Login',
    message: {
      wallet,
      host,
      purpose,
      chainId: BigInt(chainId),
      nonce,
      issuedAt: BigInt(issuedAt),
      expiresAt: BigInt(expiresAt),
    },
  })
}
