import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import type { Database } from '../../platform/database/database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'
import type { LoginChallenge } from './login-data.ts'

/** Stores a challenge until it is answered. */
export async function insertChallenge(db: Database, challenge: LoginChallenge): Promise<void> {
  const { nonce, wallet, host, chainId, issuedAt, expiresAt } = challenge
  await db.run(insert, [nonce, wallet, host, chainId, issuedAt, expiresAt])
}

/** Uses a challenge up: of two who try it at once one gets it. */
export async function takeChallenge(db: Database, nonce: string): Promise<LoginChallenge | undefined> {
  const row = await db.row<ChallengeRow>(take, [nonce])
  return (
    row && {
      nonce: row.nonce as Hex,
      wallet: row.wallet as Wallet,
      host: row.host,
      chainId: Number(row.chain_id),
      issuedAt: Number(row.issued_at) as UnixMs,
      expiresAt: Number(row.expires_at) as UnixMs,
    }
  )
}

/** Removes challenges that nobody answered; how many. */
export function forgetChallenges(db: Database, before: UnixMs): Promise<number> {
  return db.run(forget, [before])
}

type ChallengeRow = {
  nonce: string
  wallet: string
  host: string
  chain_id: bigint
  issued_at: bigint
  expires_at: bigint
}

const insert = {
  name: 'insert-login-challenge',
  text: `INSERT INTO login_challenge (nonce, wallet, host, chain_id, issued_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6)`,
}

const take = {
  name: 'take-login-challenge',
  text: `DELETE FROM login_challenge WHERE nonce = $1
    RETURNING nonce, wallet, host, chain_id, issued_at, expires_at`,
}

const forget = {
  name: 'forget-login-challenges',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM login_challenge WHERE expires_at < $1',
}
