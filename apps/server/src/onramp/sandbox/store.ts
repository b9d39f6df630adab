import type { UnixMs } from '@sluice/protocol/time.ts'
import { count, int8, numeric, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table, valuesOf } from '../../platform/database/table.ts'
import type { SandboxSession } from './session.ts'

export type WaitingEvent = {
  readonly id: string
  readonly session: string
  readonly body: string
  readonly tries: number
  readonly dueAt: UnixMs
}

const sessions = table<SandboxSession>('sandbox_session', {
  id: text(),
  reference: text(),
  state: text(),
  stateAt: time(),
  createdAt: time(),
  chain: count(),
  token: text(),
  units: numeric(),
  decimals: count(),
  depositAddress: text(),
  dueCents: int8(),
  sourceCents: optional(int8()),
  redirectUrl: text(),
  errorCode: optional(text()),
  requestId: optional(text()),
  settlesAt: optional(time()),
  returnsAs: optional(text()),
  transactionHash: optional(text()),
})

const events = table<WaitingEvent>('sandbox_event', {
  id: text(),
  session: text(),
  body: text(),
  tries: count(),
  dueAt: time(),
})

/**
 * Maximum number of stored sessions. Each takes a few kilobytes. The service opens at most 25 per receipt.
 */
const mostSessions = 10_000
/**
 * Maximum number of queued events per session. Drops the oldest events, because later ones supersede them.
 */
export const mostWaitingEvents = 20

/** Inserts a session, unless one with its reference exists. Deletes the oldest sessions beyond `most`. */
export async function insertSession(
  db: Database,
  session: SandboxSession,
  most = mostSessions,
): Promise<void> {
  await db.run(insert(session))
  await db.run(makeRoom({ most }))
}

export function lockSession(tx: Database, id: string): Promise<SandboxSession | undefined> {
  return tx.row(lock({ id }))
}

export function findSandboxSession(db: Database, id: string): Promise<SandboxSession | undefined> {
  return db.row(find({ id }))
}

export function listSandboxSessions(
  db: Database,
  query: { readonly since: UnixMs; readonly after: string; readonly limit: number },
): Promise<SandboxSession[]> {
  return db.rows(list(query))
}

export async function listDueAccounts(db: Database, now: UnixMs, limit: number): Promise<string[]> {
  return (await db.rows(listDue({ now, limit }))).map(({ id }) => id)
}

export function listUnpaidSessions(db: Database, limit: number): Promise<SandboxSession[]> {
  return db.rows(listUnpaid({ limit }))
}

export async function saveSession(tx: Database, session: SandboxSession): Promise<void> {
  await tx.run(save(session))
}

export async function insertEvent(tx: Database, event: WaitingEvent): Promise<void> {
  await tx.run(enqueue(event))
  await tx.run(dropEarliest({ session: event.session, most: mostWaitingEvents }))
}

export function listDueEvents(db: Database, now: UnixMs, limit: number): Promise<WaitingEvent[]> {
  return db.rows(listDueEvent({ now, limit }))
}

export async function dropEvent(db: Database, id: string): Promise<void> {
  await db.run(drop({ id }))
}

export async function deferEvent(db: Database, event: WaitingEvent, dueAt: UnixMs): Promise<void> {
  await db.run(defer({ id: event.id, tries: event.tries + 1, dueAt }))
}

export async function pruneSandbox(db: Database, before: UnixMs): Promise<void> {
  await db.run(prune({ before }))
}

const columns = columnsOf(sessions)

const insert = statement({
  name: 'insert-sandbox-session',
  writes: sessions,
  // A concurrent insert can conflict on either the id or the reference.
  text: `INSERT INTO sandbox_session ${valuesOf(sessions)} ON CONFLICT DO NOTHING`,
})

const makeRoom = statement({
  name: 'make-room-for-sandbox-session',
  text: `DELETE FROM sandbox_session
    WHERE id IN (SELECT id FROM sandbox_session ORDER BY created_at DESC, id DESC OFFSET :most)`,
})

const find = statement({
  name: 'find-sandbox-session',
  reads: sessions,
  text: `SELECT ${columns} FROM sandbox_session WHERE id = :id`,
})

const lock = statement({
  name: 'lock-sandbox-session',
  reads: sessions,
  text: `SELECT ${columns} FROM sandbox_session WHERE id = :id FOR UPDATE`,
})

const list = statement({
  name: 'list-sandbox-sessions',
  reads: sessions,
  text: `SELECT ${columns} FROM sandbox_session WHERE created_at >= :since AND id > :after ORDER BY id LIMIT :limit`,
})

const listDue = statement({
  name: 'list-due-sandbox-accounts',
  reads: { id: text() },
  text: `SELECT id FROM sandbox_session WHERE state = 'ach_pending' AND settles_at <= :now ORDER BY settles_at LIMIT :limit`,
})

const listUnpaid = statement({
  name: 'list-unpaid-sandbox-sessions',
  reads: sessions,
  text: `SELECT ${columns} FROM sandbox_session WHERE state = 'accepted' ORDER BY state_at LIMIT :limit`,
})

const save = statement({
  name: 'save-sandbox-session',
  writes: sessions,
  text: `UPDATE sandbox_session SET state = :state, state_at = :stateAt, source_cents = :sourceCents,
      error_code = :errorCode, request_id = :requestId, settles_at = :settlesAt, returns_as = :returnsAs,
      transaction_hash = :transactionHash WHERE id = :id`,
})

const enqueue = statement({
  name: 'enqueue-sandbox-event',
  writes: events,
  text: `INSERT INTO sandbox_event ${valuesOf(events)}`,
})

const dropEarliest = statement({
  name: 'drop-earliest-sandbox-events',
  text: `DELETE FROM sandbox_event
    WHERE id IN (SELECT id FROM sandbox_event WHERE session = :session ORDER BY id DESC OFFSET :most)`,
})

const listDueEvent = statement({
  name: 'list-due-sandbox-events',
  reads: events,
  text: `SELECT ${columnsOf(events)} FROM sandbox_event WHERE due_at <= :now ORDER BY due_at, id LIMIT :limit`,
})

const drop = statement({ name: 'drop-sandbox-event', text: `DELETE FROM sandbox_event WHERE id = :id` })

const defer = statement({
  name: 'defer-sandbox-event',
  text: `UPDATE sandbox_event SET tries = :tries, due_at = :dueAt WHERE id = :id`,
})

const prune = statement({
  name: 'prune-sandbox-sessions',
  text: `DELETE FROM sandbox_session WHERE created_at < :before`,
})
