import type pg from 'pg'
import { changeChannel, endedNotices, writesCached } from '../cache/changes.ts'
import type { SqlValue } from './columns.ts'
import { asOutage } from './degraded.ts'
import { graceMs, limitStatements, statementLimitMs } from './limits.ts'
import { type DatabasePulse, socketOf } from './pulse.ts'
import { type Statement, statement } from './statement.ts'

/** What a statement has changed: whether cached rows, and whose credentials it has ended. */
export type Told = { readonly dropsCache: boolean; readonly ended: readonly string[] }

/** One connection of the pool that is ours for a while. */
export class Connection {
  readonly #client: pg.PoolClient
  readonly #pulse: DatabasePulse
  readonly #told: (told: Told) => void
  readonly #failed: (error: unknown) => void

  /** @param hears - `told`: what a statement has changed; `failed`: what befell one. */
  constructor(
    client: pg.PoolClient,
    pulse: DatabasePulse,
    hears: { told: (told: Told) => void; failed: (error: unknown) => void },
  ) {
    this.#client = client
    this.#pulse = pulse
    this.#told = hears.told
    this.#failed = hears.failed
  }

  /** Sends a statement; inside a transaction alone a limit of its own is set, and what it ends is told by the commit. */
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
  ): Promise<Answer<Row>> {
    const rowMode = read && { rowMode: 'array' as const }
    const prepared = isPlannedAnew ? {} : { name }
    const query = () => this.#client.query({ ...prepared, text, values: [...values], ...rowMode })
    if (limitMs !== undefined) await this.say(limitStatements(limitMs))
    const { rows, rowCount, fields } = await this.#during(limitMs ?? statementLimitMs, query)
    if (limitMs !== undefined) await this.say(limitStatements(statementLimitMs))
    if ((dropsCache || ends) && (rowCount !== 0 || text.startsWith('WITH'))) {
      await this.#notifyEnded(ends)
      this.#told({ dropsCache, ended: ends ?? [] })
    }
    return { rows: read ? read(rows, fields) : rows, count: rowCount ?? 0 }
  }

  /** What ends a credential tells other processes with its commit: sent after that, it might be lost. */
  async #notifyEnded(ended: readonly string[] = []): Promise<void> {
    for (const message of endedNotices(ended))
      await this.query(notifyOfEnd({ channel: changeChannel, message }))
  }

  /** Sends a text as it is. */
  async say(text: string): Promise<void> {
    await this.#during(statementLimitMs, () => this.#client.query(text))
  }

  /** A connection on which an answer is missing is of no more use: the answer may come to the next question. */
  #during<T>(limitMs: number, query: () => Promise<T>): Promise<T> {
    const giveUp = () => socketOf(this.#client).destroy()
    const work = () =>
      query().catch((error: unknown) => {
        // The driver's own leads to its socket, and not to whoever asked.
        if (error instanceof Error) Error.captureStackTrace(error)
        this.#failed(error)
        throw asOutage(error)
      })
    return this.#pulse.during(limitMs + graceMs, giveUp, work)
  }
}

const notifyOfEnd = statement({
  name: 'notify-of-end',
  text: 'SELECT pg_notify(:channel, :message)',
})

/** Rows, and how many the statement touched. */
export type Answer<Row> = { readonly rows: Row[]; readonly count: number }
