import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'

type Scope = {
  readonly merchant: Wallet
  readonly method: string
  readonly path: string
  readonly key: string
}

/** An answer that was kept. Without a body: it showed a secret. */
export type KeptAnswer = {
  readonly requestHash: string
  readonly status: number
  readonly body: string | undefined
}

/** Takes the lock of a key until the transaction ends; `false` where another has it. */
export async function tryLockKey(tx: Database, lock: bigint): Promise<boolean> {
  const row = await tx.row<{ is_free: boolean }>(tryLock, [lock])
  return row?.is_free === true
}

/** The answer kept for a key. */
export async function findKeptAnswer(
  tx: Database,
  { merchant, method, path, key }: Scope,
): Promise<KeptAnswer | undefined> {
  const row = await tx.row<{ request_hash: string; status: number; body: string | null }>(find, [
    merchant,
    method,
    path,
    key,
  ])
  return row && { requestHash: row.request_hash, status: row.status, body: row.body ?? undefined }
}

/** Keeps an answer; `false` where one was kept already. */
export async function insertKeptAnswer(
  tx: Database,
  scope: Scope & { readonly requestHash: string },
  answer: { status: number; body: string | undefined; at: UnixMs },
): Promise<boolean> {
  const { merchant, method, path, key, requestHash } = scope
  const count = await tx.run(insert, [
    merchant,
    method,
    path,
    key,
    requestHash,
    answer.status,
    answer.body ?? null,
    answer.at,
  ])
  return count === 1
}

/** Removes what was kept before `before` for these merchants; how many rows went. */
export function forgetKeptAnswers(
  db: Database,
  merchants: readonly Wallet[],
  before: UnixMs,
): Promise<number> {
  return db.run(forget, [merchants, before])
}

const tryLock = {
  name: 'try-lock-idempotency-key',
  text: 'SELECT pg_try_advisory_xact_lock($1) AS is_free',
}

const find = {
  name: 'find-kept-answer',
  text: `SELECT request_hash, status, body FROM idempotency
    WHERE merchant = $1 AND method = $2 AND path = $3 AND key = $4`,
}

const insert = {
  name: 'insert-kept-answer',
  text: `INSERT INTO idempotency (merchant, method, path, key, request_hash, status, body, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (merchant, method, path, key) DO NOTHING`,
}

const forget = {
  name: 'forget-kept-answers',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM idempotency WHERE merchant = ANY($1::text[]) AND created_at < $2',
}
