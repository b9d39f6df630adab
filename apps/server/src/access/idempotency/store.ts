import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bool, number, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'
import { statement } from '../../platform/database/statement.ts'

type Scope = {
  readonly merchant: Wallet
  readonly method: string
  readonly path: string
  readonly key: string
}

/** A stored response. `body` is `undefined` if it contained a secret. */
export type KeptResponse = {
  readonly requestHash: string
  readonly status: number
  readonly body: string | undefined
}

/** Locks a key until the transaction ends. Returns `false` if another transaction holds the lock. */
export async function tryLockKey(tx: Database, lock: bigint): Promise<boolean> {
  const row = await tx.row(tryLock({ lock }))
  return row?.isFree === true
}

export async function findKeptResponse(tx: Database, scope: Scope): Promise<KeptResponse | undefined> {
  return tx.row(find(scope))
}

/** Stores a response. Returns `false` if the key already has one. */
export async function insertKeptResponse(
  tx: Database,
  scope: Scope & { readonly requestHash: string },
  response: { status: number; body: string | undefined; at: UnixMs },
): Promise<boolean> {
  return (await tx.run(insert({ ...scope, ...response }))) === 1
}

/**
 * Deletes these merchants' responses that were stored before `before`. Returns the number of deleted rows.
 */
export function pruneKeptResponses(
  db: Database,
  merchants: readonly Wallet[],
  before: UnixMs,
): Promise<number> {
  return db.run(forget({ merchants, before }))
}

const tryLock = statement({
  name: 'try-lock-idempotency-key',
  reads: { isFree: bool() },
  text: 'SELECT pg_try_advisory_xact_lock(:lock) AS is_free',
})

const find = statement({
  name: 'find-kept-answer',
  reads: { requestHash: text(), status: number(), body: optional(text()) },
  text: `SELECT request_hash, status, body FROM idempotency
    WHERE merchant = :merchant AND method = :method AND path = :path AND key = :key`,
})

const insert = statement({
  name: 'insert-kept-answer',
  text: `INSERT INTO idempotency (merchant, method, path, key, request_hash, status, body, created_at)
    VALUES (:merchant, :method, :path, :key, :requestHash, :status, :body, :at) ON CONFLICT (merchant, method, path,
      key) DO NOTHING`,
})

const forget = statement({
  name: 'forget-kept-answers',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM idempotency WHERE merchant = ANY(:merchants::text[]) AND created_at < :before',
})
