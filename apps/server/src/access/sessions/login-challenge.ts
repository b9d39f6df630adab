import { type LoginTypedData, loginDomain, loginTypes } from '@sluice/protocol/api/auth.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Hex, hashTypedData } from 'viem'
import { count, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table, valuesOf } from '../../platform/database/table.ts'

/** Lifetime of a login challenge: five minutes. */
export const challengeLifeMs = 5 * 60_000

const purpose = 'Log in to the merchant web app. This signature moves no money.'

/** Fields of the EIP-712 domain. It has no chainId, because wallets refuse to sign for another chain. */
export const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
]

/** Login challenge. The signed data derives from it alone. */
export type LoginChallenge = {
  readonly nonce: Hex
  readonly wallet: Wallet
  /** Host of the login page, so that a signature for another site is invalid. */
  readonly host: string
  readonly chainId: number
  readonly issuedAt: UnixMs
  readonly expiresAt: UnixMs
}

export function loginTypedData(challenge: LoginChallenge): LoginTypedData {
  return {
    domain: { ...loginDomain },
    types: { EIP712Domain: domainFields, Login: loginTypes.Login.map((field) => ({ ...field })) },
    primaryType: 'Login',
    message: { ...challenge, purpose },
  }
}

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

export async function insertChallenge(db: Database, challenge: LoginChallenge): Promise<void> {
  await db.run(insert(challenge))
}

/** Consumes a challenge. If two calls are concurrent, only one gets it. */
export async function takeChallenge(db: Database, nonce: string): Promise<LoginChallenge | undefined> {
  return db.row(take({ nonce }))
}

export function pruneChallenges(db: Database, before: UnixMs): Promise<number> {
  return db.run(forget({ before }))
}

const stored = table<LoginChallenge>('login_challenge', {
  nonce: text(),
  wallet: text(),
  host: text(),
  chainId: count(),
  issuedAt: time(),
  expiresAt: time(),
})

const insert = statement({
  name: 'insert-login-challenge',
  writes: stored,
  text: `INSERT INTO login_challenge ${valuesOf(stored)}`,
})

const take = statement({
  name: 'take-login-challenge',
  reads: stored,
  text: `DELETE FROM login_challenge WHERE nonce = :nonce RETURNING ${columnsOf(stored)}`,
})

const forget = statement({
  name: 'forget-login-challenges',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM login_challenge WHERE expires_at < :before',
})
