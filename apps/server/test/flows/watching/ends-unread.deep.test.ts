import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import { beforeEach, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { sendWithoutTrace } from '../../support/chain/calls.ts'
import { perCase } from '../../support/per-file.ts'
import { addTargets } from '../../support/routes/many-targets.ts'
import { startHidingPayments } from './watched-payments.ts'

const context = perCase(startHidingPayments)
beforeEach(async () => {
  await addTargets(context, 1_200)
  await context.mineAndScan()
  context.endpoint.far.isFar = true
})

async function openQuiet(): Promise<{ id: string; attempt: AttemptView; endsAt: number }> {
  const id = 'quiet'
  const attempt = await context.open(id, 20, 'ETH')
  return { id, attempt, endsAt: Math.floor(Number(attempt.expiresAt) / 1_000) }
}

async function mineAt(second: number): Promise<void> {
  await context.chain.client.setNextBlockTimestamp({ timestamp: BigInt(second) })
  await context.mineAndScan()
}

const payQuietly = ({ depositAddress, amount }: AttemptView) =>
  sendWithoutTrace(context, depositAddress, BigInt(amount))

test('coin without a trace that came seconds before the end of its quote pays in time, however many others are open', async () => {
  const { id, attempt, endsAt } = await openQuiet()
  await mineAt(endsAt - 12)
  await payQuietly(attempt)
  await mineAt(endsAt - 8)
  expect((await context.payment(id)).state).toBe('paid')
})

test('nothing expires before its balance was read: coin of the last block before the end pays', async () => {
  const { id, attempt, endsAt } = await openQuiet()
  await mineAt(endsAt - 2)
  await payQuietly(attempt)
  await mineAt(endsAt + 2)
  expect(await context.status(id)).toBe('paid')
  expect((await context.messages(id)).map(({ body }) => body.status)).toEqual(['paid'])
})

test('while the watcher catches up it expires nothing; at the head it reads what ended meanwhile', async () => {
  const { id, attempt, endsAt } = await openQuiet()
  await mineAt(endsAt - 12)
  await payQuietly(attempt)
  await context.chain.client.setNextBlockTimestamp({ timestamp: BigInt(endsAt - 8) })
  await context.mine()
  await context.chain.mine(250, 2)
  await context.syncClock()
  const watcher = context.job(jobNames.scanTransfers)
  expect(await watcher.run(new AbortController().signal)).toBe('again')
  expect((await context.payment(id)).state).toBe('awaiting')
  await runToRest(watcher)
  expect(await context.status(id)).toBe('paid')
})
