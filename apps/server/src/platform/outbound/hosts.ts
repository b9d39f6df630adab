import { Pool } from 'undici'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import { FairSlots } from '../../kernel/turns/fair-slots.ts'
import { type ConnectorOptions, makeConnector } from './make-connector.ts'

const socketsPerOrigin = 4

/** Below what receivers keep an idle connection open for, so that none is reused while it closes. */
const idleMs = 1_000

/** Of an answer; 16 KiB, as Node.js has it, is less than some receivers of webhooks send. */
const maxHeaderBytes = 64 * 1024

type Host = { readonly pool: Pool; requestCount: number; cancelEnd: Cancel }

/**
 * The connections of this process, four to a host at most. Nothing is kept of a host that is not in use: webhooks go to
 * any number of names, which a tenant may make up.
 */
export class Hosts {
  readonly #clock: Clock
  readonly #connect: ReturnType<typeof makeConnector>
  readonly #hosts = new Map<string, Host>()
  /** Requests wait here and not in the pool, which would connect even for one that has timed out meanwhile. */
  readonly #slots = new FairSlots({
    atOnce: Number.POSITIVE_INFINITY,
    atOnceEach: socketsPerOrigin,
    waiting: Number.POSITIVE_INFINITY,
    waitingEach: Number.POSITIVE_INFINITY,
  })
  #isClosed = false

  constructor(needs: { clock: Clock }, options: ConnectorOptions) {
    this.#clock = needs.clock
    this.#connect = makeConnector(options)
  }

  get count(): number {
    return this.#hosts.size
  }

  /** Does `work` with the pool of a host as soon as one of its connections is free, unless it `isOver` by then. */
  async use(origin: string, work: (pool: Pool) => Promise<void>, isOver: () => boolean): Promise<void> {
    const host = this.#hosts.get(origin) ?? this.#open(origin)
    host.requestCount++
    host.cancelEnd()
    await this.#slots.run(origin, () => work(host.pool), isOver)
    host.requestCount--
    if (host.requestCount === 0) host.cancelEnd = this.#clock.after(idleMs, () => this.end(origin, host.pool))
  }

  /** Breaks off what a pool does; the next request to its host gets a new one. */
  async end(origin: string, pool: Pool): Promise<void> {
    if (this.#hosts.get(origin)?.pool === pool) this.#hosts.delete(origin)
    await pool.destroy(new Error('closed'))
  }

  /** Ends every connection, and each request that is made later. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#hosts].map(([origin, { pool }]) => this.end(origin, pool)))
  }

  #open(origin: string): Host {
    const pool = new Pool(origin, {
      connect: this.#connect,
      connections: socketsPerOrigin,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const host = { pool, requestCount: 0, cancelEnd: () => {} }
    if (this.#isClosed) void pool.destroy()
    else this.#hosts.set(origin, host)
    return host
  }
}
