import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { Hex } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { turnSeconds } from '../../../src/payments/indexer/choose-balance-reads.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { type HidingEndpoint, makeHidingEndpoint } from '../../support/chain/hide-logs.ts'
import { addTargets } from '../../support/routes/many-targets.ts'
import { always } from '../../support/worlds/chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from '../../support/worlds/payment-world.ts'
import { runToRest } from '../../support/worlds/run-to-rest.ts'

let world: PaymentWorld
let endpoint: HidingEndpoint
beforeEach(async () => {
  endpoint = makeHidingEndpoint()
  world = await startPaymentWorld({ policy: always('seen'), outbound: endpoint.outbound })
  // More than are all read with every block.
  await addTargets(world, 1_200)
  await world.mine()
  await world.scan()
  endpoint.far.isFar = true
})
afterEach(() => {
  endpoint.far.isFar = false
  return world?.stop()
})

/** An attempt in ETH whose turn to be read does not come in the seconds around its end. */
async function openQuiet(): Promise<{ id: string; attempt: AttemptView; endsAt: number }> {
  for (let i = 0; ; i++) {
    const id = `quiet-${i}`
    await world.newReceipt(id, 20)
    const attempt = await world.attempt(id, 'ETH')
    const endsAt = Math.floor(Number(attempt.expiresAt) / 1_000)
    const turn = Number.parseInt(attempt.depositAddress.slice(-6), 16) % turnSeconds
    if ((turn - (endsAt % turnSeconds) + turnSeconds + 20) % turnSeconds > 30) return { id, attempt, endsAt }
  }
}

/** Coin that a contract sends on, whose call does not name where to: there is no trace of it but the balance. */
async function sendWithoutTrace({ depositAddress, amount }: AttemptView): Promise<void> {
  const at: Hex = `0x${'f1'.repeat(20)}`
  const bytecode = `0x60006000600060003473${depositAddress.slice(2)}5af100` as Hex
  await world.chain.client.setCode({ address: at, bytecode })
  await world.send({ to: at, value: BigInt(amount) })
}

async function mineAt(second: number): Promise<void> {
  await world.chain.client.setNextBlockTimestamp({ timestamp: BigInt(second) })
  await world.mine()
}

test('coin without a trace that came seconds before the end of its quote pays in time, however many others are open', async () => {
  const { id, attempt, endsAt } = await openQuiet()
  await mineAt(endsAt - 12)
  await world.scan()
  await sendWithoutTrace(attempt)
  await mineAt(endsAt - 8)
  await world.scan()
  expect((await world.checkout(id)).payment.state).toBe('paid')
})

test('nothing expires before its balance was read: coin of the last block before the end pays', async () => {
  const { id, attempt, endsAt } = await openQuiet()
  await mineAt(endsAt - 2)
  await world.scan()
  await sendWithoutTrace(attempt)
  await mineAt(endsAt + 2)
  await world.scan()
  expect(await world.status(id)).toBe('paid')
  expect((await world.notices(id)).map(({ body }) => body.status)).toEqual(['paid'])
})

test('while the watcher catches up it expires nothing; at the head it reads what ended meanwhile', async () => {
  const { id, attempt, endsAt } = await openQuiet()
  await mineAt(endsAt - 12)
  await world.scan()
  await sendWithoutTrace(attempt)
  await mineAt(endsAt - 8)
  await world.chain.client.mine({ blocks: 250, interval: 2 })
  await world.syncClock()
  const watcher = world.job(jobNames.scanTransfers)
  expect(await watcher.run(new AbortController().signal)).toBe('again')
  expect((await world.checkout(id)).payment.state).toBe('awaiting')
  await runToRest(watcher)
  expect(await world.status(id)).toBe('paid')
})
