import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import { NudgeListener } from '../../../src/platform/database/notify.ts'
import type { JobName } from '../../support/api/start-api.ts'
import { deploySplit, keeperWork, startKeeper } from '../../support/chain/keeper.ts'
import { perFile } from '../../support/per-file.ts'

const bench = perFile(() => startKeeper({ blockTime: 1, running: keeperWork }))

perFile(async () => {
  const { needs, database } = bench
  const onNudge = (name: string) => bench.nudge(name as JobName)
  const listener = new NudgeListener({ url: database.url, clock: systemClock, log: needs.log, onNudge })
  await listener.open()
  return listener
})

test('with a block a second a transfer to a deposit address is a reconciled receipt within 30 seconds', async () => {
  const split = await deploySplit(bench)
  const attempt = await bench.pay(split, 'USDC', 'deposit')
  const paidAt = Date.now()
  await expect.poll(() => bench.statusOf(attempt), { timeout: 60_000, interval: 50 }).toBe('reconciled')
  console.log(`reconciled ${((Date.now() - paidAt) / 1_000).toFixed(1)} s after the transfer was mined`)
})
