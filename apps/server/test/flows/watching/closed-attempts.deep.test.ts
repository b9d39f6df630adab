import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startApi, type TestApi } from '../../support/api/start-api.ts'
import { sweepData } from '../../support/chain/calls.ts'
import { perFile } from '../../support/per-file.ts'
import { startProxiedPayments } from './watched-payments.ts'

const hourly = 3_700
const daily = 86_400 + 3_600

const context = perFile(startProxiedPayments)
const other = perFile(() => {
  const { api, chain, needs } = context
  const network = describeNetwork(31337, chain.contracts)
  const { policy } = needs
  return startApi({ beside: api, policy, chain: (parts) => connectChain(parts, network, [chain.rpcUrl]) })
})

describe('a sweep between the reading of a balance and its comparison with the books credits nothing twice', () => {
  test.each([
    ['of an attempt that ended days ago', 'swept-cold', 3 * 86_400, hourly],
    ['of an attempt that ended months ago', 'swept-old', 45 * 86_400, daily],
  ])('%s', async (_, id, ageSeconds, pauseSeconds) => {
    const attempt = await context.open(id, 20, 'ETH')
    await context.lookAfter(ageSeconds)
    const half = BigInt(attempt.remaining) / 2n
    await context.pay(attempt, 'transfer', half)
    await context.lookAfter(pauseSeconds)
    expect(await context.payment(id)).toMatchObject({ state: 'short', received: half.toString() })

    await context.passTime(pauseSeconds)
    await other.run(jobNames.scanTransfers)
    let hasInterfered = false
    context.proxy.holdUp(
      (body) => body.includes('eth_getBalance') || body.includes('0x4d2301cc'),
      async () => {
        await sweep(attempt)
        await stepOf(other)
        hasInterfered = true
      },
    )
    await context.lookAtClosed()
    expect(hasInterfered).toBe(true)
    await context.lookAfter(pauseSeconds)
    expect(await context.payment(id)).toMatchObject({ state: 'short', received: half.toString() })
    expect(await bookedNative(attempt)).toBe(0n)
  })
})

test('closed attempts are looked at although every round of the watcher finds a new block', async () => {
  for (const id of ['busy-cold', 'busy-old']) await context.newReceipt(id, 20)
  const old = await context.attempt('busy-old', 'USDC')
  await context.passTime(45 * 86_400)
  const cold = await context.attempt('busy-cold', 'USDC')
  await context.lookAfter(3 * 86_400)
  await context.pay(cold, 'transfer')
  await context.pay(old, 'transfer')
  await context.passTime(daily)
  context.proxy.whenever(
    (body) => body.includes('finalized'),
    () => context.mine(),
  )
  for (let round = 0; round < 12; round++) await Promise.all([stepOf(context), context.lookAtClosed()])
  context.proxy.whenever(
    () => false,
    async () => {},
  )
  expect(await context.status('busy-cold')).toBe('paid')
  expect(await context.status('busy-old')).toBe('paid')
})

test('coin that reaches an attempt for a token is in the inbox after the next look, not after a day', async () => {
  const attempt = await context.open('coin-for-usdc', 20, 'USDC')
  await context.look()
  await context.send({ to: attempt.depositAddress as Hex, value: 5_000n })
  await context.lookAfter(hourly)
  const found = { reason: 'wrong-token', amount: 5_000n, token_address: nativeAddress, state: 'open' }
  expect(await unmatchedOf('coin-for-usdc')).toEqual([found])
  await context.lookAfter(hourly)
  await context.lookAfter(2 * 86_400)
  await context.lookAfter(hourly)
  expect(await unmatchedOf('coin-for-usdc')).toEqual([found])
})

async function bookedNative({ depositAddress }: AttemptView): Promise<bigint> {
  const [row] = await context.rows<{ total: bigint }>(
    'SELECT coalesce(sum(amount), 0) AS total FROM deposit_coin WHERE lower(deposit_address) = lower($1)',
    [depositAddress],
  )
  return row?.total ?? 0n
}

function unmatchedOf(id: string) {
  const text = `SELECT reason, amount, token_address, state FROM unmatched_payment
    WHERE merchant = $1 AND receipt_id = $2`
  return context.rows(text, [context.merchant.wallet, id])
}

const stepOf = ({ job }: Pick<TestApi, 'job'>) =>
  job(jobNames.scanTransfers).run(new AbortController().signal)

async function sweep({ payTo, reference }: AttemptView): Promise<void> {
  const data = sweepData(payTo, reference, nativeAddress)
  await context.send({ to: context.needs.chain.factory, data })
  await context.mine()
}
