import type { SqlValue } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { Statement } from '../database/statement.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Tracer } from './tracer.ts'

/** Wraps a database so that each statement is a span under its name. Values are never recorded. */
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
 * Wraps outbound HTTP so that each request is a span: `whole` for deliveries, `part` for calls within a
 * request.
 *
 * The span names only the host, because a path may contain a key.
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
