import pg from 'pg'
import type { SqlValue } from '../../apps/server/src/platform/database/columns.ts'
import type { Database } from '../../apps/server/src/platform/database/database.ts'
import type { Statement } from '../../apps/server/src/platform/database/statement.ts'

/** A statement of the service with its values in it, in which `:n` is a number at random up to `most`. */
export type BareStatement = { readonly text: string; readonly most: number }

/** The statement that some code sends, taken down instead of sent. */
export async function captureStatement(send: (capture: Database) => Promise<unknown>) {
  let sent: Statement | undefined
  const capture = async (statement: Statement) => {
    sent ??= statement
    return []
  }
  const fake = { rows: capture, row: async (statement: Statement) => void capture(statement), run: capture }
  await send(fake as unknown as Database).catch(() => {})
  const { text, values = [] } = sent ?? {}
  if (text === undefined) throw new Error('no statement was sent')
  return {
    /** With its values, in which `expression` stands for every `value`, those in lists among them. */
    with(value: string, expression: string): { text: string } {
      const write = (each: SqlValue): string => {
        if (each === value) return `(${expression})`
        return Array.isArray(each) ? `ARRAY[${each.map(write).join(', ')}]::text[]` : literal(each)
      }
      const written = values.map(write)
      return { text: text.replace(/\$(\d+)/g, (_, place: string) => written[Number(place) - 1] ?? 'NULL') }
    },
  }
}

/** A value as SQL; pgbench would take a colon in it for the beginning of a variable. */
function literal(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value !== 'string') return String(value)
  const quoted = pg.escapeLiteral(value).replace(/^ /, '')
  if (!value.includes(':')) return quoted
  const escaped = value.replace(/\\/g, '\\\\').replace(/'/g, "''").replace(/:/g, '\\x3a')
  return `E'${escaped}'`
}
