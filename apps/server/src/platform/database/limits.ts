import type pg from 'pg'
import { socketOf } from './pulse.ts'

/**
 * How long PostgreSQL lets one session of ours hold up the others. A process that is frozen, or whose host is lost,
 * cannot give anything back itself, so the server takes it: within {@link idleInTransactionLimitMs}.
 */

/**
 * A transaction in which its process says nothing for so long is ended, and its locks with it. Nothing of ours waits
 * for anything but the database inside a transaction, so one that is silent for that long is frozen or gone. A process
 * that was merely starved runs its transaction again.
 */
const idleInTransactionLimitMs = 3_000

/** Longer than a frozen holder keeps a lock, so that who waits for one gets it; shorter than a request's patience. */
const lockLimitMs = 8_000

/** For one statement, with its wait for locks. Statements over many rows name a limit of their own. */
export const statementLimitMs = 10_000

/** What a statement over many rows may take: an import, an export, the removal of what is old. */
export const longStatementLimitMs = 60_000

/** How much later than the server the client gives up: an answer, or the server's own word, comes first. */
export const graceMs = 2_000

/** A host that is gone answers no probe: its connection is closed after about twenty seconds. */
const keepAlive = { idleS: 10, intervalS: 5, count: 2 }

/**
 * Data that the other side does not take is given up after this: it ends a statement whose process is frozen while it
 * reads the rows, which no other limit does.
 */
const unansweredLimitMs = 8_000

/**
 * Where tables are spread over machines, a write to several shards takes a lock on each of them, for itself alone. Its
 * session cannot end while one of the machines stands still, not even when its statement is ended, and nobody else could
 * write to several shards meanwhile. Without these locks two such writes may wait for each other in a circle, which the
 * coordinator finds within seconds: one of them is ended as a deadlock, and done again.
 */
const withoutLocksOnShards = `SELECT set_config('citus.enable_deadlock_prevention', 'off', false)
  FROM pg_catalog.pg_extension WHERE extname = 'citus'`

/**
 * Sets it all for a session. Sent as statements rather than with the connection's start, which poolers in session
 * mode refuse to pass on.
 */
const sessionLimits = `${settings({
  statement_timeout: statementLimitMs,
  lock_timeout: lockLimitMs,
  idle_in_transaction_session_timeout: idleInTransactionLimitMs,
  tcp_keepalives_idle: keepAlive.idleS,
  tcp_keepalives_interval: keepAlive.intervalS,
  tcp_keepalives_count: keepAlive.count,
  tcp_user_timeout: unansweredLimitMs,
})}; ${withoutLocksOnShards}`

/**
 * For the session that migrates. A statement may rewrite a large table, and who waits for another process's migrations
 * waits as long as they take. One that stands still is ended, with the lock it has on the schema.
 */
export const migrationLimits = settings({
  statement_timeout: 60 * 60_000,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 60_000,
  idle_session_timeout: 60_000,
  tcp_keepalives_idle: keepAlive.idleS,
  tcp_keepalives_interval: keepAlive.intervalS,
  tcp_keepalives_count: keepAlive.count,
})

/** Another limit for the statements that follow in the same transaction. */
export function limitStatements(limitMs: number): string {
  return `SET LOCAL statement_timeout = ${limitMs}`
}

function settings(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ')
}

/** Sets the limits of a new connection. With the driver's own limit: nothing else watches a connection that is not in the pool yet. */
export async function limitSession(client: pg.ClientBase, connectLimitMs: number): Promise<void> {
  try {
    await client.query({ text: sessionLimits, query_timeout: connectLimitMs } as pg.QueryConfig)
  } catch (error) {
    socketOf(client).destroy()
    throw error
  }
}
