import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import type { Chain } from '../../../src/chain/chain.ts'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startApi } from '../../support/api/start-api.ts'
import { sweepData } from '../../support/chain/calls.ts'
import { always } from '../../support/chain/chain-api.ts'
import { farChain } from '../../support/chain/endpoints.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const hourSeconds = 3_600
const daySeconds = 24 * hourSeconds

const far = farChain()
far.isFar = true
const world = perFile(() => startPayments({ policy: always('seen'), outbound: far.over }))
/** Another process on the same database. */
const other = perFile(() => {
  const { api, chain, needs } = world
  const network = describeNetwork(31337, chain.contracts)
  return startApi({
    beside: api,
    policy: needs.policy,
    chain: (parts) => connectChain(parts, network, [chain.rpcUrl]),
  })
})

/** An hour and a bit of a chain with more blocks than a look reads at once, all read by the watcher. */
async function passBusyHour(): Promise<void> {
  await world.chain.mine(740, 5)
  await world.syncClock()
  await world.scan()
}

/** Anybody may sweep. */
async function sweep({ payTo, reference }: AttemptView, token: TokenSymbol): Promise<void> {
  const address = token === 'ETH' ? nativeAddress : world.tokenAddress(token)
  await world.send({ to: world.needs.chain.factory, data: sweepData(payTo, reference, address) })
  await world.mineAndScan()
}

test('coin at an attempt that ended days ago is seen within two hours, however many blocks the chain has in one', async () => {
  const attempt = await world.open('fast', 20, 'ETH')
  await world.lookAfter(3 * daySeconds)
  await world.payAndScan(attempt, 'transfer')
  for (let hour = 0; hour < 2; hour++) {
    await passBusyHour()
    await world.lookAtClosed()
  }
  expect(await world.status('fast')).toBe('paid')
})

test('a look that one process began is brought to its end by another', async () => {
  const attempt = await world.open('handed-over', 20, 'ETH')
  await world.lookAfter(3 * daySeconds)
  await world.payAndScan(attempt, 'transfer')
  await passBusyHour()
  await passBusyHour()
  const first = await world.job(jobNames.scanClosed).run(new AbortController().signal)
  expect(first).toBe('again')
  expect(await world.status('handed-over')).not.toBe('paid')
  await other.run(jobNames.scanClosed)
  expect(await world.status('handed-over')).toBe('paid')
})

test.each([
  ['days', 'ETH', 3 * daySeconds, hourSeconds],
  ['months', 'ETH', 45 * daySeconds, daySeconds],
  ['months', 'USDC', 45 * daySeconds, daySeconds],
] as const)('what came %s late, in %s, and was swept by a stranger before the next look is a payment', async (age, token, ageSeconds, pauseSeconds) => {
  const id = `swept-${age}-${token}`
  const attempt = await world.open(id, 20, token)
  await world.lookAfter(ageSeconds)
  await world.payAndScan(attempt, 'transfer')
  await sweep(attempt, token)
  await world.lookAfter(pauseSeconds + 600)
  expect(await world.payment(id)).toMatchObject({ received: attempt.remaining })
  await world.lookAfter(pauseSeconds + 600)
  await world.lookAfter(pauseSeconds + 600)
  expect(await world.payment(id)).toMatchObject({ received: attempt.remaining })
})

test('a token swept between the final block and the newest read is a payment', async () => {
  const attempt = await world.open('swept-meanwhile', 20, 'USDC')
  await world.lookAfter(45 * daySeconds)
  await world.payAndScan(attempt, 'transfer')
  await world.passTime(daySeconds + 600)
  await sweep(attempt, 'USDC')
  await world.look()
  expect(await world.status('swept-meanwhile')).toBe('paid')
})

test('a process whose clock is a day slow leaves out no attempt', async () => {
  const attempt = await world.open('slow-clock', 20, 'USDC')
  await world.lookAfter(1.5 * daySeconds)
  await world.payAndScan(attempt, 'transfer')
  await world.passTime(hourSeconds + 600)
  await world.scan()
  const { timestamp } = await world.chain.client.getBlock()
  world.api.clock.jumpTo((Number(timestamp) - daySeconds) * 1000)
  await world.lookAtClosed()
  await world.syncClock()
  expect(await world.status('slow-clock')).toBe('paid')
})

test('a block that the endpoint does not know yet is read with the next look, not left out', async () => {
  const attempt = await world.open('unknown-block', 20, 'USDC')
  await world.lookAfter(45 * daySeconds)
  await world.payAndScan(attempt, 'transfer')
  const { number } = await world.chain.client.getBlock()
  await world.passTime(daySeconds + 600)
  await world.scan()
  const { api, chain, needs } = world
  const network = describeNetwork(31337, chain.contracts)
  const forgetful = (real: Chain): Chain => ({
    ...real,
    findHeader: async (height) => (height === number ? undefined : real.findHeader(height)),
  })
  const behind = await startApi({
    beside: api,
    policy: needs.policy,
    chain: (parts) => forgetful(connectChain(parts, network, [chain.rpcUrl])),
  })
  await behind.run(jobNames.scanOld)
  await behind.stop()
  expect(await world.status('unknown-block')).not.toBe('paid')
  await world.lookAtClosed()
  expect(await world.status('unknown-block')).toBe('paid')
})
