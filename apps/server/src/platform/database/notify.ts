import pg from 'pg'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import { changeChannel, changedWord } from '../cache/changes.ts'
import type { Log } from '../log.ts'
import { StateLog } from '../state-log.ts'
import type { Database } from './database.ts'
import { socketOf } from './health-monitor.ts'
import { isInsideTransaction } from './inside-transaction.ts'
import { statement } from './statement.ts'

const channel = 'sluice_nudge'
const pauseAfterBreakMs = 1_000
/** Milliseconds between checks: a connection that only listens never notices the loss of its peer. */
const checkEveryMs = 15_000
const checkLimitMs = 5_000
const leaveLimitMs = 500

const wakeGapMs = 50

type NotifyNeeds = { readonly db: Database; readonly clock: Clock }

/**
 * Wakes a job in every process that uses this database. Inside a transaction, the commit wakes it.
 *
 * A lost notification only delays the job until its next interval. Calls within 50 ms of a wake-up are merged
 * into one further wake-up and do not wait for it.
 */
export async function notifyJob(needs: NotifyNeeds, jobName: string): Promise<void> {
  const { db } = needs
  // The commit sends this notification, so it cannot be merged with others.
  if (isInsideTransaction()) return wake(db, jobName)
  const recent = woken.get(db) ?? new Map<string, boolean>()
  woken.set(db, recent)
  if (recent.has(jobName)) recent.set(jobName, true)
  else {
    leaveGap(needs, jobName, recent)
    await wake(db, jobName)
  }
}

const woken = new WeakMap<Database, Map<string, boolean>>()

function leaveGap(needs: NotifyNeeds, jobName: string, recent: Map<string, boolean>): void {
  recent.set(jobName, false)
  needs.clock.after(wakeGapMs, () => {
    const isWanted = recent.get(jobName)
    recent.delete(jobName)
    if (!isWanted) return
    leaveGap(needs, jobName, recent)
    wake(needs.db, jobName).catch(() => {})
  })
}

async function wake(db: Database, jobName: string): Promise<void> {
  await db.run(nudge({ channel, jobName }))
}

const nudge = statement({ name: 'notify-job', text: 'SELECT pg_notify(:channel, :jobName)' })

type ListenerNeeds = {
  readonly url: string
  readonly clock: Clock
  readonly log: Log
  readonly onNudge: (jobName: string) => void
  /** Statement to run on each new connection, whose effect must last as long as the process. */
  readonly alongside?: { readonly text: string; readonly values: readonly string[] }
  /** Also called after a reconnect, because notifications were lost in the meantime. */
  readonly onChange?: (word: string) => void
  readonly onHearing?: (isHearing: boolean) => void
}

export class NudgeListener {
  readonly #needs: ListenerNeeds
  #client: pg.Client | undefined
  #cancelCheck: Cancel = () => {}
  #isClosed = false
  readonly #states: StateLog

  constructor(needs: ListenerNeeds) {
    this.#needs = needs
    this.#states = new StateLog(needs.log)
  }

  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#needs.url,
      application_name: 'sluice-listen',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    })
    this.#client = client
    const { onNudge, onChange, onHearing, alongside } = this.#needs
    client.on('notification', ({ channel: heardOn, payload = '' }) => {
      if (heardOn === changeChannel) onChange?.(payload)
      else onNudge(payload)
    })
    client.on('error', (error) => this.#reopen(client, error))
    client.on('end', () => this.#reopen(client, new Error('the connection ended')))
    try {
      await client.connect()
      await ask(client, `LISTEN ${channel}`)
      await ask(client, `LISTEN ${changeChannel}`)
      if (alongside) await ask(client, alongside.text, alongside.values)
      onHearing?.(true)
      onChange?.(changedWord)
      this.#states.end('listening', 'job notifications are received again')
      this.#checkSoon(client)
    } catch (error) {
      this.#reopen(client, error as Error)
    }
  }

  /** Reconnects after the database was silent, because notifications may have been lost. */
  renew(): void {
    if (this.#client) this.#reopen(this.#client, new Error('the database did not respond'))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelCheck()
    if (this.#client) await this.#leave(this.#client)
  }

  #checkSoon(client: pg.Client): void {
    this.#cancelCheck = this.#needs.clock.after(checkEveryMs, () => {
      if (this.#client !== client) return
      ask(client, 'SELECT 1').then(
        () => this.#checkSoon(client),
        (error: Error) => this.#reopen(client, error),
      )
    })
  }

  async #leave(client: pg.Client): Promise<void> {
    const cancel = this.#needs.clock.after(leaveLimitMs, () => socketOf(client).destroy())
    await client.end().catch(() => {})
    cancel()
  }

  #reopen(client: pg.Client, error: Error): void {
    if (this.#isClosed || this.#client !== client) return
    this.#client = undefined
    this.#needs.onHearing?.(false)
    const message = 'job notifications are interrupted; until they resume, jobs run only at their intervals'
    this.#states.say('listening', 'broken', 'warn', { err: error }, message)
    this.#cancelCheck()
    this.#leave(client).catch(() => {})
    this.#needs.clock.after(pauseAfterBreakMs, () => {
      if (!this.#isClosed) this.open().catch(() => {})
    })
  }
}

async function ask(client: pg.Client, text: string, values: readonly string[] = []): Promise<void> {
  await client.query({ text, values: [...values], query_timeout: checkLimitMs } as pg.QueryConfig)
}
