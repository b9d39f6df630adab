import { parseWallet } from '@sluice/protocol/wallet.ts'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perCase } from '../../../test/support/per-file.ts'
import { systemClock } from '../../kernel/clock.ts'
import { systemRandom } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { KnownCaller } from '../caller.ts'
import { RequestLog } from './request-log.ts'

const database = perCase(makeTestDatabase)
const merchant = parseWallet(`0x${'a'.repeat(40)}`)
const caller = { kind: 'session', merchant, wallet: merchant } as unknown as KnownCaller

const open = (db: Database) =>
  new RequestLog({ db, clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) })

function fill(log: RequestLog, count: number): void {
  for (let n = 0; n < count; n++)
    log.note({ caller, method: 'POST', route: '/api', status: 200, correlationId: `${n}`, address: '::1' })
}

async function stored(): Promise<number> {
  const text = 'SELECT count(*) AS count FROM request_log'
  return Number((await database.pool.row<{ count: bigint }>({ name: '', text }))?.count)
}

test('lines of a busy second are written before it is over, a few wait for its end', async () => {
  const log = open(database.pool)
  fill(log, 3)
  fill(log, 247)
  await expect.poll(stored).toBe(250)
  fill(log, 249)
  expect(await stored()).toBe(250)
  await log.flush()
  expect(await stored()).toBe(499)
})

test('no line is lost or doubled that comes while others are written', async () => {
  const log = open(database.pool)
  fill(log, 1_000)
  const flushed = log.flush()
  fill(log, 600)
  await flushed
  await log.flush()
  expect(await stored()).toBe(1_600)
})

test('lines that could not be written stay, and are tried again by the job alone', async () => {
  let [isAway, tries] = [true, 0]
  const db: Database = {
    rows: (statement, values) => database.pool.rows(statement, values),
    row: (statement, values) => database.pool.row(statement, values),
    transaction: (work) => database.pool.transaction(work),
    async run(statement, values) {
      tries++
      if (isAway) throw new Error('away')
      return database.pool.run(statement, values)
    },
  }
  const log = open(db)
  fill(log, 250)
  await expect.poll(() => tries).toBe(1)
  fill(log, 750)
  expect(tries).toBe(1)
  await expect(log.flush()).rejects.toThrow('away')
  isAway = false
  await log.flush()
  expect(await stored()).toBe(1_000)
})
