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

/** A request that was answered. */
export type LoggedRequest = {
  readonly caller: KnownCaller
  readonly method: string
  /** The path as documented, without ids. */
  readonly route: string
  readonly status: number
  readonly correlationId: string
  readonly address: string
}

/** As it is stored: hundreds wait for the next second. */
type Line = Omit<LoggedRequest, 'caller'> & {
  readonly merchant: Wallet
  readonly keyId: string
  readonly id: string
  readonly subscriptionId: string | undefined
  readonly wallet: Wallet | undefined
  readonly at: UnixMs
}

const flushEveryMs = 1_000
/** Where so many come within the second they are written at once: a busy second in one go would hold up the requests after it. */
const linesPerStatement = 250
/** Beyond these the oldest go: a log is no reason to run out of memory while the database is away. */
const maxWaiting = 20_000

/** The merchants' request log: lines wait in memory, a second at most, and are written together. */
export class RequestLog {
  readonly #needs: { db: Database; clock: Clock; random: Random; log: Log }
  #waiting: Line[] = []
  /** Whether a full statement's lines are being written, or could not be: then the job tries again. */
  #isHeld = false
  #writing: Promise<void> | undefined
  /** Not as a part of the request that happened to fill it. */
  readonly #apart = AsyncLocalStorage.snapshot()

  constructor(needs: { db: Database; clock: Clock; random: Random; log: Log }) {
    this.#needs = needs
  }

  /**
   * Notes a request. One that concerns no merchant is not kept, and neither is what a session reads: an open web app
   * reads every few seconds, and the log is about what programs ask and what people change.
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

  /** Writes what waits. */
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

  /** The job that writes; what still waits when the service stops is written then. */
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
          this.#needs.log.warn({ err: error }, 'the last lines of the request log were lost'),
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
