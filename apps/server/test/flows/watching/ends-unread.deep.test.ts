import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import { beforeEach, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { sendWithoutTrace } from '../../support/chain/calls.ts'
import { perCase } from '../../support/per-file.ts'
import { addTargets } from '../../support/routes/many-targets.ts'
import { startHidingPayments } from './watched-payments.ts'

const world = perCase(startHidingPayments)
beforeEach(async () => {
  await addTargets(world, 1_200)
  await world.mineAndScan()
  world.endpoint.far.isFar = true
})

async function openQuiet(): Promise<{ id: string; attempt: AttemptView; endsAt: number }> {
  const id = 'quiet'
  const attempt = await world.open(id, 20, 'ETH')
  return { id, attempt, endsAt: Math.floor(Number(attempt.expiresAt) / 1_000) }
}

async function mineAt(second: number): Promise<void> {
  await world.chain.client.setNextBlockTimestamp({ timestamp: BigInt(second) })
  await world.mineAndScan()
}

const payQuietly = ({ depositAddress, amount }: AttemptView) =>
  sendWithoutTrace(world, depositAddress, BigInt(amount))

test('coin without a trace that came seconds before the end of its quote pays in time, however many others are open', async () => {
  const { id, attempt, endsAt } = await openQuiet()
  await mineAt(endsAt - 12)
  await payQuietly(attempt)
  await mineAt(endsAt - 8)
  expect((await world.payment(id)).state).toBe('paid')
})

test('nothing expires before its balance was read: coin of the last block before the end pays', async () => {
  const { id, attempt, endsAt } = await openQuiet()
  await mineAt(endsAt - 2)
  await payQuietly(attempt)
  await mineAt(endsAt + 2)
  expect(await world.status(id)).toBe('paid')
  expect((await world.notices(id)).map(({ body }) => body.status)).toEqual(['paid'])
})

test('while the watcher catches up it expires nothing; at the head it reads what ended meanwhile', async () => {
  const { id, attempt, endsAt } = await openQuiet()
  await mineAt(endsAt - 12)
  await payQuietly(attempt)
  await world.chain.client.setNextBlockTimestamp({ timestamp: BigInt(endsAt - 8) })
  await world.mine()
  await world.chain.mine(250, 2)
  await world.syncClock()
  const watcher = world.job(jobNames.scanTransfers)
  expect(await watcher.run(new AbortController().signal)).toBe('again')
  expect((await world.payment(id)).state).toBe('awaiting')
  await runToRest(watcher)
  expect(await world.status(id)).toBe('paid')
})
