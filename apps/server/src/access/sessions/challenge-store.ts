import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { count, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'
import { statement } from '../../platform/database/statement.ts'
import type { LoginChallenge } from './login-data.ts'

/** Stores a challenge until it is answered. */
export async function insertChallenge(db: Database, challenge: LoginChallenge): Promise<void> {
  const { nonce, wallet, host, chainId, issuedAt, expiresAt } = challenge
  await db.run(insert({ nonce, wallet, host, chainId, issuedAt, expiresAt }))
}

/** Uses a challenge up: of two who try it at once one gets it. */
export async function takeChallenge(db: Database, nonce: string): Promise<LoginChallenge | undefined> {
  return db.row(take({ nonce }))
}

/** Removes challenges that nobody answered; how many. */
export function pruneChallenges(db: Database, before: UnixMs): Promise<number> {
  return db.run(forget({ before }))
}

const insert = statement({
  name: 'insert-login-challenge',
  text: `INSERT INTO login_challenge (nonce, wallet, host, chain_id, issued_at, expires_at)
    VALUES (:nonce, :wallet, :host, :chainId, :issuedAt, :expiresAt)`,
})

const take = statement({
  name: 'take-login-challenge',
  reads: {
    nonce: text<Hex>(),
    wallet: text<Wallet>(),
    host: text(),
    chainId: count(),
    issuedAt: time(),
    expiresAt: time(),
  },
  text: `DELETE FROM login_challenge WHERE nonce = :nonce
    RETURNING nonce, wallet, host, chain_id, issued_at, expires_at`,
})

const forget = statement({
  name: 'forget-login-challenges',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM login_challenge WHERE expires_at < :before',
})
