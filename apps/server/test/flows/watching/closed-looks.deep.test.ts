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
const context = perFile(() => startPayments({ policy: always('seen'), outbound: far.over }))
const other = perFile(() => {
  const { api, chain, needs } = context
  const network = describeNetwork(31337, chain.contracts)
  return startApi({
    beside: api,
    policy: needs.policy,
    chain: (parts) => connectChain(parts, network, [chain.rpcUrl]),
  })
})

/**
 * Advances time by an hour with more blocks than one scan reads. Afterwards, the watcher has scanned all of
 * them.
 */
async function passBusyHour(): Promise<void> {
  await context.chain.mine(740, 5)
  await context.syncClock()
  await context.scan()
}

async function sweep({ payTo, reference }: AttemptView, token: TokenSymbol): Promise<void> {
  const address = token === 'ETH' ? nativeAddress : context.tokenAddress(token)
  await context.send({ to: context.needs.chain.factory, data: sweepData(payTo, reference, address) })
  await context.mineAndScan()
}

test('coin at an attempt that ended days ago is seen within two hours, however many blocks the chain has in one', async () => {
  const attempt = await context.open('fast', 20, 'ETH')
  await context.lookAfter(3 * daySeconds)
  await context.payAndScan(attempt, 'transfer')
  for (let hour = 0; hour < 2; hour++) {
    await passBusyHour()
    await context.lookAtClosed()
  }
  expect(await context.status('fast')).toBe('paid')
})

test('a look that one process began is brought to its end by another', async () => {
  const attempt = await context.open('handed-over', 20, 'ETH')
  await context.lookAfter(3 * daySeconds)
  await context.payAndScan(attempt, 'transfer')
  await passBusyHour()
  await passBusyHour()
  const first = await context.job(jobNames.scanClosed).run(new AbortController().signal)
  expect(first).toBe('again')
  expect(await context.status('handed-over')).not.toBe('paid')
  await other.run(jobNames.scanClosed)
  expect(await context.status('handed-over')).toBe('paid')
})

test.each([
  ['days', 'ETH', 3 * daySeconds, hourSeconds],
  ['months', 'ETH', 45 * daySeconds, daySeconds],
  ['months', 'USDC', 45 * daySeconds, daySeconds],
] as const)('what came %s late, in %s, and was swept by a stranger before the next look is a payment', async (age, token, ageSeconds, pauseSeconds) => {
  const id = `swept-${age}-${token}`
  const attempt = await context.open(id, 20, token)
  await context.lookAfter(ageSeconds)
  await context.payAndScan(attempt, 'transfer')
  await sweep(attempt, token)
  await context.lookAfter(pauseSeconds + 600)
  expect(await context.payment(id)).toMatchObject({ received: attempt.remaining })
  await context.lookAfter(pauseSeconds + 600)
  await context.lookAfter(pauseSeconds + 600)
  expect(await context.payment(id)).toMatchObject({ received: attempt.remaining })
})

test('a token swept between the final block and the newest read is a payment', async () => {
  const attempt = await context.open('swept-meanwhile', 20, 'USDC')
  await context.lookAfter(45 * daySeconds)
  await context.payAndScan(attempt, 'transfer')
  await context.passTime(daySeconds + 600)
  await sweep(attempt, 'USDC')
  await context.look()
  expect(await context.status('swept-meanwhile')).toBe('paid')
})

test('a process whose clock is a day slow leaves out no attempt', async () => {
  const attempt = await context.open('slow-clock', 20, 'USDC')
  await context.lookAfter(1.5 * daySeconds)
  await context.payAndScan(attempt, 'transfer')
  await context.passTime(hourSeconds + 600)
  await context.scan()
  const { timestamp } = await context.chain.client.getBlock()
  context.api.clock.jumpTo((Number(timestamp) - daySeconds) * 1000)
  await context.lookAtClosed()
  await context.syncClock()
  expect(await context.status('slow-clock')).toBe('paid')
})

test('a block that the endpoint does not know yet is read with the next look, not left out', async () => {
  const attempt = await context.open('unknown-block', 20, 'USDC')
  await context.lookAfter(45 * daySeconds)
  await context.payAndScan(attempt, 'transfer')
  const { number } = await context.chain.client.getBlock()
  await context.passTime(daySeconds + 600)
  await context.scan()
  const { api, chain, needs } = context
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
  expect(await context.status('unknown-block')).not.toBe('paid')
  await context.lookAtClosed()
  expect(await context.status('unknown-block')).toBe('paid')
})
