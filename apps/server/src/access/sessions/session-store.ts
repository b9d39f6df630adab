import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'
import type { Session } from './session.ts'

/** Stores a session just made. */
export async function insertSession(tx: Database, session: Session): Promise<void> {
  const { id, wallet, merchant, createdAt, lastSeenAt, tokenAt, address, userAgent } = session
  await tx.run(insert, [
    id,
    wallet,
    merchant ?? null,
    createdAt,
    lastSeenAt,
    tokenAt,
    address,
    userAgent ?? null,
  ])
}

/** A session with the role its wallet has with the merchant at this moment. */
export async function findSession(
  db: Database,
  id: string,
  merchant: Wallet | undefined,
): Promise<(Session & { memberRole: MemberRole | undefined }) | undefined> {
  const row = await db.row<SessionRow & { role: MemberRole | null }>(find, [id, merchant ?? ''])
  return row && { ...readSession(row), memberRole: row.role ?? undefined }
}

/** Notes a session's use, and with `isRenewed` that a new token was made of it. Times never go back. */
export async function touchSession(
  db: Database,
  id: string,
  use: { at: UnixMs; isRenewed: boolean },
): Promise<void> {
  await db.run(touch, [id, use.at, use.isRenewed])
}

/** The sessions of a wallet that are not revoked and began after `since`, newest first. */
export async function listSessionsOfWallet(db: Database, wallet: Wallet, since: UnixMs): Promise<Session[]> {
  return (await db.rows<SessionRow>(listOfWallet, [wallet, since])).map(readSession)
}

/** As {@link listSessionsOfWallet}, of everybody who is logged in for a merchant. */
export async function listSessionsOfMerchant(
  db: Database,
  merchant: Wallet,
  since: UnixMs,
): Promise<Session[]> {
  return (await db.rows<SessionRow>(listOfMerchant, [merchant, since])).map(readSession)
}

/** Ends sessions; how many of them had not ended before. */
export function revokeSessions(tx: Database, ids: readonly string[], at: UnixMs): Promise<number> {
  return tx.run(revoke, [ids, at])
}

/** Removes what no session can come back from; how many rows went. */
export function forgetSessions(db: Database, before: UnixMs): Promise<number> {
  return db.run(forget, [before])
}

type SessionRow = {
  id: string
  wallet: string
  merchant: string | null
  created_at: bigint
  last_seen_at: bigint
  token_at: bigint
  revoked_at: bigint | null
  address: string
  user_agent: string | null
}

function readSession(row: SessionRow): Session {
  return {
    id: row.id,
    wallet: row.wallet as Wallet,
    merchant: (row.merchant ?? undefined) as Wallet | undefined,
    createdAt: Number(row.created_at) as UnixMs,
    lastSeenAt: Number(row.last_seen_at) as UnixMs,
    tokenAt: Number(row.token_at) as UnixMs,
    revokedAt: row.revoked_at === null ? undefined : (Number(row.revoked_at) as UnixMs),
    address: row.address,
    userAgent: row.user_agent ?? undefined,
  }
}

const columns =
  's.id, s.wallet, s.merchant, s.created_at, s.last_seen_at, s.token_at, s.revoked_at, s.address, s.user_agent'

const insert = {
  name: 'insert-session',
  text: `INSERT INTO session (id, wallet, merchant, created_at, last_seen_at, token_at, address, user_agent)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
}

const find = {
  name: 'find-session',
  text: `SELECT ${columns}, m.role FROM session s
    LEFT JOIN member m ON m.merchant = $2 AND m.wallet = s.wallet
    WHERE s.id = $1 AND coalesce(s.merchant, '') = $2`,
}

const touch = {
  name: 'touch-session',
  text: `UPDATE session SET last_seen_at = greatest(last_seen_at, $2),
    token_at = CASE WHEN $3 THEN greatest(token_at, $2) ELSE token_at END WHERE id = $1`,
}

const listOfWallet = {
  name: 'list-sessions-of-wallet',
  text: `SELECT ${columns} FROM session s WHERE s.wallet = $1 AND s.created_at > $2 AND s.revoked_at IS NULL
    ORDER BY s.created_at DESC, s.id DESC LIMIT 200`,
}

const listOfMerchant = {
  name: 'list-sessions-of-merchant',
  text: `SELECT ${columns} FROM session s WHERE s.merchant = $1 AND s.created_at > $2 AND s.revoked_at IS NULL
    ORDER BY s.created_at DESC, s.id DESC LIMIT 200`,
}

const revoke = {
  name: 'revoke-sessions',
  text: 'UPDATE session SET revoked_at = $2 WHERE id = ANY($1::text[]) AND revoked_at IS NULL',
}

const forget = {
  name: 'forget-sessions',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM session WHERE created_at < $1',
}
