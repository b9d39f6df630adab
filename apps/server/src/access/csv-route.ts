import type { Readable } from 'node:stream'
import type { Scope } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Static, type TSchema, Type } from 'typebox'
import { csvHeaders } from '../kernel/text/csv.ts'
import { merchantOf } from './caller.ts'
import { type Route, route } from './route.ts'

/** A route that gives rows of the merchant as a file, as they are read. */
type CsvRoute<Query extends TSchema> = Pick<Route, 'path' | 'description'> & {
  readonly scope: Scope
  readonly query: Query
  /** What the file is called, without its ending. */
  readonly fileName: string
  /** The file. */
  write(merchant: Wallet, query: Static<Query>): Promise<Readable>
}

/** Declares a GET that answers with a CSV file. */
export function csvRoute<Query extends TSchema>(declared: CsvRoute<Query>): Route {
  const { scope, fileName, write, ...rest } = declared
  return route({
    ...rest,
    method: 'GET',
    access: { kind: 'key-or-session', scope },
    answers: { 200: Type.String() },
    document: { answerType: 'text/csv' },
    handle: async ({ caller, query }) => ({
      status: 200,
      stream: { body: await write(merchantOf(caller), query) },
      headers: csvHeaders(fileName),
    }),
  })
}
