import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, isAhead } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'

/** The value of `reason` in an answer given without the datastore (contract: Errors, Degraded mode). */
export const degradedReason = 'datastore_unavailable'

/** What a degraded answer says beside its content. */
export const degradedMark = { degraded: true, reason: degradedReason } as const

/**
 * PostgreSQL cannot be reached, does not answer in time, or is just going down or coming up. Only what works with it
 * throws this: a client that hangs up breaks a connection too, and is no outage.
 */
export class DatastoreAway extends Outage {
  constructor(message: string, options?: ErrorOptions) {
    super('datastore', message, options)
  }
}

/** Whether the datastore is away. A bad statement is a defect of ours, not an outage. */
export function isDatastoreOutage(error: unknown): boolean {
  return error instanceof DatastoreAway
}

/** An error of the database's driver, as an outage where it is one. */
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
 * Connection failures, PostgreSQL's own shutting down, and what was not done in the time it has: a lock (55P03), a
 * statement (57014), the silence of a process that was frozen (25P03). A server that only reads (25006), which is a
 * standby or one whose disk its provider found too full, and a full disk (53100) are outages to whoever writes: nothing
 * is wrong with what he sent, and it may be sent again.
 */
const outageStates = /^(08...|57P0[1-3]|53[13]00|55P03|57014|25P0[34]|25006)$/
const outageCodes =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_(AGAIN|FAIL)|E(HOST|NET)(UNREACH|DOWN))$/

/** The driver's own, and what a coordinator says without a code of its own where one of its workers has gone. */
const outageMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|failure on connection marked as essential|could not commit transaction for shard|server closed the connection unexpectedly)/

/** What left nothing behind and may go well the next time. */
export function isRetryable(error: unknown): boolean {
  return retryableCodes.has(saidCode(error) ?? '')
}

/** Whether there was no room on a disk for what was to be written; where nothing is written, nothing fails. */
export function isDiskFull(error: unknown): boolean {
  return saidCode(error) === '53100'
}

/** Whether a row with the same key is there already. Citus passes on the message of a worker, and not always its code. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === '23505' || (code === 'XX000' && /^duplicate key value violates/.test(String(message)))
}

/** What PostgreSQL itself said; an outage that nobody told of, such as a database that stands still, has no cause. */
function saidCode(error: unknown): string | undefined {
  const said = isDatastoreOutage(error) ? (error as Error).cause : error
  const code = (said as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

/** A serialization failure, a deadlock, and a transaction ended because its process said nothing for too long. */
const retryableCodes = new Set(['40001', '40P01', '25P03'])

/** Jobs write every few seconds: a disk that has room again is believed to have it after this long. */
const fullForMs = 60_000

/** What this process has met of a database that answers and takes no writes. */
export class RefusedWrites {
  readonly #clock: Pick<Clock, 'now'>
  #fullUntil: UnixMs | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Takes note of what befell a statement. */
  note(error: unknown): void {
    if (isDiskFull(error)) this.#fullUntil = addMs(this.#clock.now(), fullForMs)
  }

  /** Whether a write found no room on a disk in the last minute. */
  isDiskFull(): boolean {
    return this.#fullUntil !== undefined && isAhead(this.#fullUntil, this.#clock.now(), fullForMs)
  }
}
