import type { SqlValue } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { Statement } from '../database/statement.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Tracer } from './tracer.ts'

/** A database each of whose statements is a span under its name; values are never told. */
export function traceDatabase(tracer: Tracer, db: Database): Database {
  return tracer.isOn ? new TracedDatabase(tracer, db) : db
}

class TracedDatabase implements Database {
  readonly #tracer: Tracer
  readonly #db: Database

  constructor(tracer: Tracer, db: Database) {
    this.#tracer = tracer
    this.#db = db
  }

  rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> {
    return this.#during(statement.name, () => this.#db.rows<Row>(statement, values))
  }

  row<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#during(statement.name, () => this.#db.row<Row>(statement, values))
  }

  run(statement: Statement, values?: readonly SqlValue[]): Promise<number> {
    return this.#during(statement.name, () => this.#db.run(statement, values))
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return this.#during('transaction', () =>
      this.#db.transaction((tx) => work(new TracedDatabase(this.#tracer, tx))),
    )
  }

  #during<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#tracer.part(name, { 'db.system.name': 'postgresql', 'db.query.summary': name }, work)
  }
}

/**
 * Outbound HTTP each of whose requests is a span: `whole` for deliveries, which nobody waits for, `part` for what
 * a request asks of others. It names the host alone, since a path may hold a key.
 */
export function traceOutbound(tracer: Tracer, outbound: Outbound, as: 'whole' | 'part'): Outbound {
  if (!tracer.isOn) return outbound
  return {
    request: (request) =>
      tracer[as](
        `${request.method} ${hostOf(request.url)}`,
        { 'http.request.method': request.method, 'server.address': hostOf(request.url) },
        () => outbound.request(request),
      ),
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : 'unknown'
}
