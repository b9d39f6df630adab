import type pg from 'pg'
import { changeChannel, endedChanges, writesCached } from '../cache/changes.ts'
import type { SqlValue } from './columns.ts'
import { asOutage } from './degraded.ts'
import { type HealthMonitor, socketOf } from './health-monitor.ts'
import { graceMs, limitStatements, statementLimitMs } from './limits.ts'
import { type Statement, statement } from './statement.ts'

export type Reported = { readonly dropsCache: boolean; readonly ended: readonly string[] }

export class Connection {
  readonly #client: pg.PoolClient
  readonly #healthMonitor: HealthMonitor
  readonly #reported: (reported: Reported) => void
  readonly #failed: (error: unknown) => void

  /** @param hears - `told` receives the effects of a statement; `failed` receives its error. */
  constructor(
    client: pg.PoolClient,
    healthMonitor: HealthMonitor,
    hears: { reported: (reported: Reported) => void; failed: (error: unknown) => void },
  ) {
    this.#client = client
    this.#healthMonitor = healthMonitor
    this.#reported = hears.reported
    this.#failed = hears.failed
  }

  /**
   * Sends a statement. Sets the statement's own limit and notifies ended credentials only inside a
   * transaction.
   */
  async query<Row extends object>(
    {
      name,
      text,
      limitMs,
      isPlannedAnew,
      values: own,
      read,
      ends,
      dropsCache = writesCached(text),
    }: Statement<Row>,
    values: readonly SqlValue[] = own ?? [],
  ): Promise<QueryResult<Row>> {
    const rowMode = read && { rowMode: 'array' as const }
    const prepared = isPlannedAnew ? {} : { name }
    const query = () => this.#client.query({ ...prepared, text, values: [...values], ...rowMode })
    if (limitMs !== undefined) await this.say(limitStatements(limitMs))
    const { rows, rowCount, fields } = await this.#during(limitMs ?? statementLimitMs, query)
    if (limitMs !== undefined) await this.say(limitStatements(statementLimitMs))
    if ((dropsCache || ends) && (rowCount !== 0 || text.startsWith('WITH'))) {
      await this.#notifyEnded(ends)
      this.#reported({ dropsCache, ended: ends ?? [] })
    }
    return { rows: read ? read(rows, fields) : rows, count: rowCount ?? 0 }
  }

  /**
   * Notifies ended credentials within the transaction, because a notification after the commit might be lost.
   */
  async #notifyEnded(ended: readonly string[] = []): Promise<void> {
    for (const message of endedChanges(ended))
      await this.query(notifyOfEnd({ channel: changeChannel, message }))
  }

  async say(text: string): Promise<void> {
    await this.#during(statementLimitMs, () => this.#client.query(text))
  }

  /** Destroys a connection that still owes a response, because the next query might receive it. */
  #during<T>(limitMs: number, query: () => Promise<T>): Promise<T> {
    const giveUp = () => socketOf(this.#client).destroy()
    const work = () =>
      query().catch((error: unknown) => {
        // The driver's stack trace leads to its socket, not to the caller.
        if (error instanceof Error) Error.captureStackTrace(error)
        this.#failed(error)
        throw asOutage(error)
      })
    return this.#healthMonitor.during(limitMs + graceMs, giveUp, work)
  }
}

const notifyOfEnd = statement({
  name: 'notify-of-end',
  text: 'SELECT pg_notify(:channel, :message)',
})

export type QueryResult<Row> = { readonly rows: Row[]; readonly count: number }
