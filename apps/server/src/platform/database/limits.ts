import type pg from 'pg'
import { socketOf } from './health-monitor.ts'

/**
 * Milliseconds without a statement in an open transaction after which PostgreSQL ends it and frees its locks.
 *
 * Inside a transaction, the service waits only for the database, so a silent process is frozen or dead. A
 * process that was merely starved of CPU time repeats its transaction.
 */
const idleInTransactionLimitMs = 3_000

/** Longer than a frozen holder keeps a lock, but shorter than a request waits. */
const lockLimitMs = 8_000

/** Limit of one statement, including lock waits. Statements over many rows set their own limit. */
export const statementLimitMs = 10_000

/** Limit of a statement over many rows: an import, an export, a cleanup. */
export const longStatementLimitMs = 60_000

/** Additional time that the client waits, so that a response or the server's own error arrives first. */
export const graceMs = 2_000

/** Closes the connection of a lost host after about 20 seconds. */
const keepAlive = { idleS: 10, intervalS: 5, count: 2 }

/**
 * Limit for unacknowledged data. No other limit ends a statement whose frozen client does not read the rows.
 */
const unansweredLimitMs = 8_000

/**
 * Disables Citus's shard locks for writes to several shards.
 *
 * While a node is frozen, a session with these locks cannot end and blocks all other such writes. Without
 * them, two such writes may deadlock: the coordinator detects it within seconds, and the statement is
 * repeated.
 */
const withoutLocksOnShards = `SELECT set_config('citus.enable_deadlock_prevention', 'off', false)
  FROM pg_catalog.pg_extension WHERE extname = 'citus'`

/** Sent as statements, because poolers in session mode reject startup parameters. */
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
 * Limits of the migration session. A statement may rewrite a large table, and lock waits are unlimited.
 *
 * If the session freezes, PostgreSQL ends it, which frees its schema lock.
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

export function limitStatements(limitMs: number): string {
  return `SET LOCAL statement_timeout = ${limitMs}`
}

function settings(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ')
}

/**
 * Sets the limits of a new connection. Uses the driver's own limit, because nothing else watches the
 * connection yet.
 */
export async function limitSession(client: pg.ClientBase, connectLimitMs: number): Promise<void> {
  try {
    await client.query({ text: sessionLimits, query_timeout: connectLimitMs } as pg.QueryConfig)
  } catch (error) {
    socketOf(client).destroy()
    throw error
  }
}
