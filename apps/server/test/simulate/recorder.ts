import type { SqlValue } from '../../src/platform/database/columns.ts'
import type { Database } from '../../src/platform/database/database.ts'
import type { Statement } from '../../src/platform/database/statement.ts'
import type { Outbound } from '../../src/platform/outbound/outbound.ts'

/** Appends each request and its response to `lines`. */
export function recordOutbound(lines: string[], outbound: Outbound): Outbound {
  return {
    async request(request) {
      const outcome = await outbound.request(request)
      const text = outcome.kind === 'response' ? new TextDecoder().decode(outcome.body) : outcome.error
      lines.push(`request ${request.body} ${text}`)
      return outcome
    },
  }
}

/** Appends each statement with its values to `lines`, in the order in which they are sent. */
export class RecordedDatabase implements Database {
  readonly #lines: string[]
  readonly #db: Database

  constructor(lines: string[], db: Database) {
    this.#lines = lines
    this.#db = db
  }

  rows<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row[]> {
    this.#record(statement, values)
    return this.#db.rows(statement, values)
  }

  row<Row extends object>(statement: Statement<Row>, values?: readonly SqlValue[]): Promise<Row | undefined> {
    this.#record(statement, values)
    return this.#db.row(statement, values)
  }

  run(statement: Statement, values?: readonly SqlValue[]): Promise<number> {
    this.#record(statement, values)
    return this.#db.run(statement, values)
  }

  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    this.#lines.push('begin')
    return this.#db.transaction((tx) => work(new RecordedDatabase(this.#lines, tx)))
  }

  #record({ text }: Statement, values: readonly SqlValue[] = []): void {
    const shown = JSON.stringify(values, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    )
    this.#lines.push(`statement ${text} ${shown}`)
  }
}
