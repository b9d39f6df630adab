import { addMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import { countStatements } from '../../../test/support/database/count-statements.ts'
import { isOnCluster } from '../../../test/support/database/on-cluster.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { makeLog } from '../log.ts'
import { ItemFault } from './item-fault.ts'
import { listTries, setAside, setAsideAll } from './set-aside.ts'
import { listSetAside } from './set-aside-store.ts'

const job = 'count-apples'
const item = 'books'
const database = perFile(makeTestDatabase)
const clock = new TestClock()
const lines: { alert?: string; merchant?: string }[] = []
const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
const merchants = ['0xaa', '0xbb', '0xcc']

test('items of many merchants are set aside in two statements, as one by one', async () => {
  const { db, total } = countStatements(database.pool)
  const needs = { db: database.pool, clock, log }
  const fault = new ItemFault('rotten', 'they are rotten')
  await setAside(needs, { job, merchant: '0xaa', item }, fault)
  await setAside(needs, { job: 'alone', merchant: '0xaa', item }, fault)
  for (const merchant of merchants) await setAside(needs, { job: 'alone', merchant, item }, fault)
  lines.length = 0
  await setAsideAll({ ...needs, db }, { job, item, merchants }, fault)
  expect(total()).toBe(2)
  const stands = async (name: string) =>
    (await listSetAside(database.pool, name)).map(({ job: _, ...each }) => each)
  expect(await stands(job)).toEqual(await stands('alone'))
  expect((await stands(job)).map(({ tries }) => tries)).toEqual([2, 1, 1])
  expect(lines.map(({ alert, merchant }) => [alert, merchant])).toEqual([
    ['item-set-aside', '0xbb'],
    ['item-set-aside', '0xcc'],
  ])
  await setAsideAll({ ...needs, db }, { job, item, merchants: [] }, fault)
  expect(total()).toBe(2)
})

test.skipIf(isOnCluster)(
  'what is due of very many items that wait is found without reading the others',
  async () => {
    const { pool } = database
    const later = addMs(clock.now(), 3_600_000)
    await pool.run(
      {
        name: 'test-many-aside',
        text: `INSERT INTO set_aside (job, merchant, item, fault, reason, since, tries, next_try)
        SELECT $1, 'm' || number, 'books', 'away', 'away', 0, 1, $2 FROM generate_series(1, 20000) AS number`,
      },
      ['many', later],
    )
    await pool.run({ name: 'test-analyze', text: 'ANALYZE set_aside' })
    const count = {
      name: 'test-count-rows-read',
      text: `SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 AS count FROM pg_stat_xact_user_tables WHERE relname = 'set_aside'`,
    }
    const [before, after] = await pool.transaction(async (tx) => {
      // The connection may have read others before, and told nobody yet.
      const before = await tx.row<{ count: bigint }>(count)
      expect(await listTries({ db: tx, clock }, 'many')).toEqual([])
      return [before, await tx.row<{ count: bigint }>(count)]
    })
    expect(after).toEqual(before ?? { count: 0n })
  },
)
