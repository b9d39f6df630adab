import { AsyncLocalStorage } from 'node:async_hooks'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import { count, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, eachOf, table } from '../../platform/database/table.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import type { KnownCaller } from '../caller.ts'

export type LoggedRequest = {
  readonly caller: KnownCaller
  readonly method: string
  readonly route: string
  readonly status: number
  readonly correlationId: string
  readonly address: string
}

type Line = Omit<LoggedRequest, 'caller'> & {
  readonly merchant: Wallet
  readonly keyId: string
  readonly id: string
  readonly subscriptionId: string | undefined
  readonly wallet: Wallet | undefined
  readonly at: UnixMs
}

const flushEveryMs = 1_000
/**
 * Number of buffered lines that are written without waiting for the job: one large statement would delay
 * later requests.
 */
const linesPerStatement = 250
/** If the database is unavailable, the oldest lines above this number are dropped to bound memory. */
const maxWaiting = 20_000

/** Buffers the merchants' request log for at most a second and writes the lines in batches. */
export class RequestLog {
  readonly #needs: { db: Database; clock: Clock; random: Random; log: Log }
  #waiting: Line[] = []
  /** Whether a batch is being written or has failed. The job retries a failed batch. */
  #isHeld = false
  #writing: Promise<void> | undefined
  /** Keeps the write out of the transaction and trace of the request that fills the batch. */
  readonly #apart = AsyncLocalStorage.snapshot()

  constructor(needs: { db: Database; clock: Clock; random: Random; log: Log }) {
    this.#needs = needs
  }

  /**
   * Adds a request to the log.
   *
   * Skips requests without a merchant, and reads by sessions: an open web app polls every few seconds.
   */
  note({ caller, method, route, status, correlationId, address }: LoggedRequest): void {
    const { merchant } = caller
    if (merchant === undefined || (caller.kind === 'session' && method === 'GET')) return
    const at = this.#needs.clock.now()
    const id = generateId(at, this.#needs.random)
    const key = caller.kind === 'subscription' ? caller : undefined
    const wallet = caller.kind === 'session' ? caller.wallet : undefined
    const [keyId, subscriptionId] = [key?.keyId ?? '', key?.subscriptionId]
    const what = { method, route, status, correlationId, address }
    this.#waiting.push({ merchant, keyId, id, subscriptionId, wallet, at, ...what })
    if (this.#waiting.length > maxWaiting) this.#waiting.splice(0, linesPerStatement)
    if (this.#waiting.length >= linesPerStatement && !this.#isHeld)
      this.#writing = this.#apart(() => this.#write().catch(() => {}))
  }

  async flush(): Promise<void> {
    await this.#writing
    while (this.#waiting.length > 0) await this.#write()
  }

  async #write(): Promise<void> {
    const lines = this.#waiting.splice(0, linesPerStatement)
    this.#isHeld = true
    try {
      if (lines.length > 0) await this.#needs.db.run(insert({ each: lines }))
      this.#isHeld = false
    } catch (error) {
      this.#waiting.unshift(...lines)
      throw error
    }
  }

  /** Creates the job that writes the lines, including at shutdown. */
  makeJob(): Job {
    return {
      name: jobNames.writeRequestLog,
      everyMs: flushEveryMs,
      run: async () => {
        await this.flush()
        return 'done'
      },
      drain: async () => {
        await this.flush().catch((error: unknown) =>
          this.#needs.log.warn({ err: error }, 'the newest entries of the request log were lost'),
        )
      },
    }
  }
}

const lineTable = table<Line>('request_log', {
  merchant: text(),
  keyId: text(),
  id: text(),
  subscriptionId: optional(text()),
  wallet: optional(text()),
  at: time(),
  method: text(),
  route: text(),
  status: count(),
  correlationId: text(),
  address: text(),
})

const insert = statement({
  name: 'insert-request-lines',
  writes: lineTable,
  text: `INSERT INTO request_log (${columnsOf(lineTable)}) SELECT * FROM ${eachOf(lineTable)}`,
})
