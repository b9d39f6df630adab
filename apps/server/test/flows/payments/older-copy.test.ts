import { expect, test } from 'vitest'
import { findDueLostTime, noteStart } from '../../../src/payments/recovery/lost-time-store.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { copyDatabase } from '../../support/database/copy-database.ts'
import { perCase } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'
import { expectRecovered, sellBeforeLoss, sellInLostTime } from './lost-time.ts'
import { look, withRestored } from './restored-copy.ts'

const context = perCase(startPayments)

test('what was paid in a lost time is unmatched once, and is applied to the receipts that are created again', async () => {
  const before = await sellBeforeLoss(context)
  const copy = await copyDatabase(context.database)
  const lost = await sellInLostTime(context, before)
  await withRestored(context, copy, (restored) => expectRecovered(context, restored, lost))
})

test('where nothing was lost nothing is found, and looks become rare', async () => {
  await context.open('open', 10, 'USDC')
  const copy = await copyDatabase(context.database)
  await withRestored(context, copy, async (restored) => {
    await look(restored)
    const dueAt = async () => {
      const text = 'SELECT noticed_at, look_at FROM lost_time'
      const [row] = await copy.pool.rows<{ noticed_at: bigint; look_at: bigint }>({ name: '', text })
      return Number(row?.look_at) - Number(row?.noticed_at)
    }
    expect(await dueAt()).toBe(3_600_000)
    await restored.clock.advance(2 * 3_600_000)
    await look(restored)
    expect(await dueAt()).toBe(4 * 3_600_000)
    expect(restored.logged.filter(({ alert }) => alert === 'database-is-older')).toEqual([])
  })
})

test('a database that is replaced by an older copy under a running process is noticed', async () => {
  const { api, needs } = context
  const job = api.job(jobNames.scanLost)
  const run = () => job.run(new AbortController().signal)
  const lostTimes = 'SELECT from_block::int AS block FROM lost_time'
  await context.mineAndScan(8)
  await run()
  expect(await context.rows(lostTimes)).toEqual([])
  const back = { name: '', text: `UPDATE chain_cursor SET number = number - 5, block_at = block_at - 5000` }
  await needs.db.run(back)
  await run()
  const [cursor] = await context.rows<{ block: number }>(
    `SELECT number::int AS block FROM chain_cursor WHERE name = 'transfers'`,
  )
  expect(await context.rows(lostTimes)).toEqual([cursor])
  await context.needs.db.run({ name: '', text: `UPDATE chain_cursor SET number = number + 5` })
})

test('a second process whose clock is a day ahead does not delay the search', async () => {
  const { needs } = context
  await context.mineAndScan(1)
  await context.passTime(2)
  await noteStart(needs)
  const ahead = new TestClock(needs.clock.now() + 86_400_000)
  await noteStart({ ...needs, clock: ahead })
  const { chain, clock } = needs
  expect(await findDueLostTime(needs.db, chain.id, clock.now())).toMatchObject({ toAt: ahead.now() })
})
