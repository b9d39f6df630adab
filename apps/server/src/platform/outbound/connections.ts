import { type Connect, Connection } from './connection.ts'

const socketsPerOrigin = 4

/** Who wants a connection; of the two it is told one, once, or none if it has left. */
export interface Asker {
  begin(connection: Connection): void
  refuse(error: Error): void
}

/** What there is of a host: only as long as it has a connection. */
type Host = {
  readonly origin: string
  /** All of its connections, also those that end. */
  count: number
  /** The one used last comes last. */
  readonly idle: Connection[]
  readonly waiting: Set<Asker>
}

/**
 * The connections of this process, four to a host at most. Whoever finds none that is idle, and no place for another,
 * waits for his turn.
 *
 * Nothing is kept of a host that is not in use: webhooks go to any number of names, which a tenant may make up.
 */
export class Connections {
  readonly #connect: Connect
  readonly #hosts = new Map<string, Host>()
  /** The host of each, and who is to have a new one in its place. */
  readonly #open = new Map<Connection, { readonly host: Host; heir: Asker | undefined }>()
  #isClosed = false
  #whenEmpty: (() => void)[] = []

  constructor(connect: Connect) {
    this.#connect = connect
  }

  get hostCount(): number {
    return this.#hosts.size
  }

  /** Has the asker begin as soon as a connection is free for it. */
  take(origin: string, asker: Asker): void {
    if (this.#isClosed) {
      asker.refuse(new Error('closed'))
      return
    }
    const host = this.#hosts.get(origin) ?? this.#add(origin)
    const idle = host.waiting.size === 0 ? host.idle.pop() : undefined
    if (idle) asker.begin(idle)
    else if (host.count < socketsPerOrigin) this.#begin(host, asker)
    else host.waiting.add(asker)
  }

  /** The asker wants none any more. */
  forget(origin: string, asker: Asker): void {
    this.#hosts.get(origin)?.waiting.delete(asker)
  }

  /** The answer has come in full, the next request may be sent. */
  giveBack(connection: Connection): void {
    const open = this.#open.get(connection)
    if (!open || connection.isEnding) return
    connection.rest()
    open.host.idle.push(connection)
    // Its peer may have closed it with the answer, which shows before then.
    if (open.host.waiting.size > 0) setImmediate(() => serve(open.host))
  }

  /** Breaks a connection off. Its place goes to the heir, on a new one, before all who wait; safe to repeat. */
  end(connection: Connection, error: Error, heir?: Asker): void {
    const open = this.#open.get(connection)
    if (!open) return
    open.heir = heir
    connection.end(error)
  }

  /** Ends every connection and refuses whoever waits, now and from now on. */
  async close(): Promise<void> {
    this.#isClosed = true
    const error = new Error('closed')
    for (const { waiting } of this.#hosts.values()) {
      const all = [...waiting]
      waiting.clear()
      for (const asker of all) asker.refuse(error)
    }
    for (const [connection, open] of this.#open) {
      open.heir?.refuse(error)
      this.end(connection, error)
    }
    if (this.#hosts.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve))
  }

  #add(origin: string): Host {
    const host: Host = { origin, count: 0, idle: [], waiting: new Set() }
    this.#hosts.set(origin, host)
    return host
  }

  #begin(host: Host, asker: Asker): void {
    const connection = new Connection(host.origin, this.#connect, this.#ended)
    this.#open.set(connection, { host, heir: undefined })
    host.count += 1
    asker.begin(connection)
  }

  readonly #ended = (connection: Connection) => {
    const open = this.#open.get(connection)
    if (!open) return
    const { host, heir } = open
    this.#open.delete(connection)
    host.count -= 1
    const place = host.idle.indexOf(connection)
    if (place >= 0) host.idle.splice(place, 1)
    const next = heir ?? shift(host.waiting)
    if (next) this.#begin(host, next)
    else if (host.count === 0) this.#hosts.delete(host.origin)
    if (this.#hosts.size === 0) for (const tell of this.#whenEmpty.splice(0)) tell()
  }
}

function serve({ idle, waiting }: Host): void {
  while (waiting.size > 0) {
    const connection = idle.pop()
    if (!connection) return
    shift(waiting)?.begin(connection)
  }
}

/** The one that waits longest, who waits no more. */
function shift(waiting: Set<Asker>): Asker | undefined {
  for (const asker of waiting) {
    waiting.delete(asker)
    return asker
  }
  return undefined
}
