import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { named, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table, valuesOf } from '../../platform/database/table.ts'
import type { Session } from './session.ts'

export async function insertSession(tx: Database, session: Session): Promise<void> {
  await tx.run(insert(session))
}

export async function findSession(
  db: Database,
  id: string,
  merchant: Wallet | undefined,
): Promise<(Session & { memberRole: MemberRole | undefined }) | undefined> {
  return db.row(find({ id, merchant: merchant ?? '' }))
}

export async function findSessions(db: Database, ids: readonly string[]): Promise<Session[]> {
  return db.rows(findAll({ ids }))
}

/** Records that a session was used. `isRenewed` also records a new token. Times never decrease. */
export async function touchSession(
  db: Database,
  id: string,
  use: { at: UnixMs; isRenewed: boolean },
): Promise<void> {
  await db.run(touch({ id, at: use.at, isRenewed: use.isRenewed }))
}

export async function listSessionsOfWallet(db: Database, wallet: Wallet, since: UnixMs): Promise<Session[]> {
  return db.rows(listOfWallet({ wallet, since }))
}

export async function listSessionsOfMerchant(
  db: Database,
  merchant: Wallet,
  since: UnixMs,
): Promise<Session[]> {
  return db.rows(listOfMerchant({ merchant, since }))
}

/** Revokes sessions. Returns how many of them were active. */
export function revokeSessions(tx: Database, ids: readonly string[], at: UnixMs): Promise<number> {
  return tx.run(revoke({ ids, at }))
}

export function pruneSessions(db: Database, before: UnixMs): Promise<number> {
  return db.run(forget({ before }))
}

const stored = table<Session>('session', {
  id: text(),
  wallet: text(),
  merchant: optional(text()),
  createdAt: time(),
  lastSeenAt: time(),
  tokenAt: time(),
  revokedAt: optional(time()),
  address: text(),
  userAgent: optional(text()),
})

const columns = columnsOf(stored, 's')

const insert = statement({
  name: 'insert-session',
  writes: stored,
  text: `INSERT INTO session ${valuesOf(stored)}`,
})

const find = statement({
  name: 'find-session',
  reads: { ...stored.parts, memberRole: named('role', optional(text<MemberRole>())) },
  text: `SELECT ${columns}, m.role FROM session s
    LEFT JOIN member m ON m.merchant = :merchant AND m.wallet = s.wallet
    WHERE s.id = :id AND coalesce(s.merchant, '') = :merchant`,
})

const findAll = statement({
  name: 'find-sessions',
  reads: stored,
  text: `SELECT ${columns} FROM session s WHERE s.id = ANY(:ids::text[])`,
})

const touch = statement({
  name: 'touch-session',
  text: `UPDATE session SET last_seen_at = greatest(last_seen_at, :at),
    token_at = CASE WHEN :isRenewed THEN greatest(token_at, :at) ELSE token_at END WHERE id = :id`,
})

const listOfWallet = statement({
  name: 'list-sessions-of-wallet',
  reads: stored,
  text: `SELECT ${columns} FROM session s WHERE s.wallet = :wallet AND s.created_at > :since AND s.revoked_at IS NULL
    ORDER BY s.created_at DESC, s.id DESC LIMIT 200`,
})

const listOfMerchant = statement({
  name: 'list-sessions-of-merchant',
  reads: stored,
  text: `SELECT ${columns} FROM session s WHERE s.merchant = :merchant AND s.created_at > :since
    AND s.revoked_at IS NULL
    ORDER BY s.created_at DESC, s.id DESC LIMIT 200`,
})

const revoke = statement({
  name: 'revoke-sessions',
  ends: 'ids',
  text: 'UPDATE session SET revoked_at = :at WHERE id = ANY(:ids::text[]) AND revoked_at IS NULL',
})

const forget = statement({
  name: 'forget-sessions',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM session WHERE created_at < :before',
})
