import pg from 'pg'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from './database.ts'
import type { Log } from './log.ts'

const channel = 'sluice_nudge'
const pauseAfterBreakMs = 1_000

/**
 * Wakes jobs in every process on this database. A statement of its own, sent after the commit;
 * a lost one costs only the wait until the job's next interval.
 */
export async function notifyJob(db: Database, jobName: string): Promise<void> {
  await db.run({ name: 'notify-job', text: 'SELECT pg_notify($1, $2)' }, [channel, jobName])
}

/** The connection that hears other processes' nudges; it is opened anew when it breaks. */
export class NudgeListener {
  readonly #needs: { url: string; clock: Clock; log: Log; onNudge: (jobName: string) => void }
  #client: pg.Client | undefined
  #isClosed = false

  constructor(needs: { url: string; clock: Clock; log: Log; onNudge: (jobName: string) => void }) {
    this.#needs = needs
  }

  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#needs.url,
      application_name: 'sluice-listen',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    })
    this.#client = client
    client.on('notification', (message) => this.#needs.onNudge(message.payload ?? ''))
    client.on('error', (error) => this.#reopen(client, error))
    client.on('end', () => this.#reopen(client, new Error('the connection ended')))
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
    } catch (error) {
      this.#reopen(client, error as Error)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#client?.end().catch(() => {})
  }

  #reopen(client: pg.Client, error: Error): void {
    if (this.#isClosed || this.#client !== client) return
    this.#client = undefined
    this.#needs.log.warn(
      { err: error },
      'listening for nudges broke; jobs run on their intervals until it is back',
    )
    client.end().catch(() => {})
    this.#needs.clock.after(pauseAfterBreakMs, () => {
      if (!this.#isClosed) this.open().catch(() => {})
    })
  }
}
