import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, isAhead } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'

export const degradedReason = 'datastore_unavailable'

export const degradedMark = { degraded: true, reason: degradedReason } as const

/**
 * PostgreSQL is unreachable, silent, starting or shutting down.
 *
 * Only code that uses PostgreSQL throws this error: a client that disconnects also breaks a connection, but
 * that is not an outage.
 */
export class DatastoreAway extends Outage {
  constructor(message: string, options?: ErrorOptions) {
    super('datastore', message, options)
  }
}

/**
 * Returns whether the error means that the datastore is unavailable. A bad statement is a defect, not an
 * outage.
 */
export function isDatastoreOutage(error: unknown): boolean {
  return error instanceof DatastoreAway
}

export function asOutage(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: unknown }
  const isOutage =
    (typeof code === 'string' && (outageStates.test(code) || outageCodes.test(code))) ||
    (typeof message === 'string' && outageMessages.test(message))
  return isOutage && !(error instanceof DatastoreAway)
    ? new DatastoreAway(String(message), { cause: error })
    : error
}

/**
 * SQLSTATEs of an outage: connection failures, shutdowns, exceeded limits, refused writes.
 *
 * The limits apply to lock waits (55P03), statements (57014) and idle transactions (25P03). A read-only
 * server (25006) and a full disk (53100) count too: the write is valid and may be repeated.
 */
const outageStates = /^(08...|57P0[1-3]|53[13]00|55P03|57014|25P0[34]|25006)$/
const outageCodes =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_(AGAIN|FAIL)|E(HOST|NET)(UNREACH|DOWN))$/

/** Messages from the driver, and from a Citus coordinator that lost a worker and sends no code. */
const outageMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|failure on connection marked as essential|could not commit transaction for shard|server closed the connection unexpectedly)/

/** Returns whether a transaction had no effect and may succeed when repeated. */
export function isRetryable(error: unknown): boolean {
  return retryableCodes.has(saidCode(error) ?? '')
}

export function isDiskFull(error: unknown): boolean {
  return saidCode(error) === '53100'
}

/** Returns whether the key already exists. Citus forwards a worker's message, but not always its code. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === '23505' || (code === 'XX000' && /^duplicate key value violates/.test(String(message)))
}

/** Returns PostgreSQL's own error code. An outage without a response, such as a frozen host, has none. */
function saidCode(error: unknown): string | undefined {
  const said = isDatastoreOutage(error) ? (error as Error).cause : error
  const code = (said as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

const retryableCodes = new Set(['40001', '40P01', '25P03'])

/**
 * Milliseconds without a failed write after which a full disk counts as free again. Jobs write every few
 * seconds.
 */
const fullForMs = 60_000

export class RefusedWrites {
  readonly #clock: Pick<Clock, 'now'>
  #fullUntil: UnixMs | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  note(error: unknown): void {
    if (isDiskFull(error)) this.#fullUntil = addMs(this.#clock.now(), fullForMs)
  }

  isDiskFull(): boolean {
    return this.#fullUntil !== undefined && isAhead(this.#fullUntil, this.#clock.now(), fullForMs)
  }
}
