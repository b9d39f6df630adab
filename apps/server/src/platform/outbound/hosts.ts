// biome-ignore lint/style/noRestrictedImports: this is the outbound client
import { Pool } from 'undici'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import { FairSlots } from '../../kernel/turns/fair-slots.ts'
import { type ConnectorOptions, makeConnector } from './make-connector.ts'

const socketsPerOrigin = 4

/** Shorter than the idle timeout of receivers, so that no connection is reused while it is closing. */
const idleMs = 1_000

/** Limit of response headers. Some webhook receivers exceed the Node.js default of 16 KiB. */
const maxHeaderBytes = 64 * 1024

type Host = { readonly pool: Pool; requestCount: number; cancelEnd: Cancel }

/**
 * This process's connections, at most four per host.
 *
 * No data of an unused host is kept, because a tenant can invent any number of host names for webhooks.
 */
export class Hosts {
  readonly #clock: Clock
  readonly #connect: ReturnType<typeof makeConnector>
  readonly #hosts = new Map<string, Host>()
  /**
   * Requests wait here and not in the pool, which would connect even for a request that has already timed
   * out.
   */
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

  /**
   * Runs `work` with the host's pool when one of its connections is free, unless the request `isOver` by
   * then.
   */
  async use(origin: string, work: (pool: Pool) => Promise<void>, isOver: () => boolean): Promise<void> {
    const host = this.#hosts.get(origin) ?? this.#open(origin)
    host.requestCount++
    host.cancelEnd()
    await this.#slots.run(origin, () => work(host.pool), isOver)
    host.requestCount--
    if (host.requestCount === 0) host.cancelEnd = this.#clock.after(idleMs, () => this.end(origin, host.pool))
  }

  /** Aborts the requests of a pool; the next request to its host gets a new pool. */
  async end(origin: string, pool: Pool): Promise<void> {
    if (this.#hosts.get(origin)?.pool === pool) this.#hosts.delete(origin)
    await pool.destroy(new Error('closed'))
  }

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
