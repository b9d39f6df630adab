import { text } from '../columns.ts'
import type { Database } from '../database.ts'
import { statement } from '../statement.ts'

const unsafe: readonly { readonly setting: string; readonly value: string }[] = [
  { setting: 'fsync', value: 'off' },
  { setting: 'full_page_writes', value: 'off' },
  { setting: 'synchronous_commit', value: 'off' },
]

/**
 * Rejects a database that can lose acknowledged writes.
 *
 * @throws {Error} that names every such setting.
 */
export async function checkDurability(db: Database): Promise<void> {
  const names = unsafe.map(({ setting }) => setting)
  const rows = await db.rows(read({ names }))
  const errors = unsafe.filter(({ setting, value }) =>
    rows.some((row) => row.name === setting && row.setting === value),
  )
  if (errors.length === 0) return
  const list = errors.map(({ setting, value }) => `${setting} is ${value}`).join(', ')
  throw new Error(`the database may lose acknowledged writes: ${list}`)
}

const read = statement({
  name: 'read-durability',
  text: 'SELECT name, setting FROM pg_settings WHERE name = ANY(:names)',
  reads: { name: text(), setting: text() },
})
