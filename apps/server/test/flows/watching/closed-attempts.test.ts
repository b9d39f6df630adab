import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import type { RpcProxy } from '../../support/chain/rpc-proxy.ts'
import type { PaymentWorld } from '../../support/worlds/payment-world.ts'
import { type ProxiedWorld, startProxiedWorld } from '../../support/worlds/proxied-world.ts'
import type { JobChanges } from '../../support/worlds/start-api.ts'

const hourly = 3_700
const daily = 86_400 + 3_600

let proxied: ProxiedWorld
let proxy: RpcProxy
let world: PaymentWorld
let other: Replica
beforeAll(async () => {
  proxied = await startProxiedWorld()
  ;({ proxy, world } = proxied)
  other = openReplica(world)
}, 180_000)
afterAll(async () => {
  await other?.close()
  await proxied?.stop()
})

describe('a sweep between the reading of a balance and its comparison with the books credits nothing twice', () => {
  test.each([
    ['of an attempt that ended days ago', 'swept-cold', 3 * 86_400, hourly],
    ['of an attempt that ended months ago', 'swept-old', 45 * 86_400, daily],
  ])(
    '%s',
    async (_, id, ageSeconds, pauseSeconds) => {
      await world.newReceipt(id, 20)
      const attempt = await world.attempt(id, 'ETH')
      await passTime(ageSeconds)
      await look()
      const half = BigInt(attempt.remaining) / 2n
      await world.pay(attempt, 'transfer', half)
      await passTime(pauseSeconds)
      await look()
      expect((await world.checkout(id)).payment).toMatchObject({ state: 'short', received: half.toString() })

      await passTime(pauseSeconds)
      await other.scan()
      let hasInterfered = false
      proxy.holdUp(
        (body) => body.includes('eth_getBalance') || body.includes('0x4d2301cc'),
        async () => {
          await sweep(attempt)
          await other.step()
          hasInterfered = true
        },
      )
      await world.lookAtClosed()
      expect(hasInterfered).toBe(true)
      await passTime(pauseSeconds)
      await look()
      expect((await world.checkout(id)).payment).toMatchObject({ state: 'short', received: half.toString() })
      expect(await bookedNative(attempt)).toBe(0n)
    },
    90_000,
  )
})

test('closed attempts are looked at although every round of the watcher finds a new block', async () => {
  for (const id of ['busy-cold', 'busy-old']) await world.newReceipt(id, 20)
  const old = await world.attempt('busy-old', 'USDC')
  await passTime(45 * 86_400)
  const cold = await world.attempt('busy-cold', 'USDC')
  await passTime(3 * 86_400)
  await look()
  await world.pay(cold, 'transfer')
  await world.pay(old, 'transfer')
  await passTime(daily)
  proxy.whenever(
    (body) => body.includes('finalized'),
    () => world.mine(),
  )
  for (let round = 0; round < 12; round++) await Promise.all([watch(), world.lookAtClosed()])
  proxy.whenever(
    () => false,
    async () => {},
  )
  expect(await world.status('busy-cold')).toBe('paid')
  expect(await world.status('busy-old')).toBe('paid')
}, 90_000)

test('coin that reaches an attempt for a token is in the inbox after the next look, not after a day', async () => {
  await world.newReceipt('coin-for-usdc', 20)
  const attempt = await world.attempt('coin-for-usdc', 'USDC')
  await look()
  await world.send({ to: attempt.depositAddress as Hex, value: 5_000n })
  await passTime(hourly)
  await look()
  const found = { reason: 'wrong-token', amount: 5_000n, token_address: nativeAddress, state: 'open' }
  expect(await unmatchedOf('coin-for-usdc')).toEqual([found])
  await passTime(hourly)
  await look()
  await passTime(2 * 86_400)
  await look()
  await passTime(hourly)
  await look()
  expect(await unmatchedOf('coin-for-usdc')).toEqual([found])
}, 90_000)

type Replica = { scan(): Promise<void>; step(): Promise<void>; close(): Promise<void> }

/** A second process on the same database, with an endpoint that is not slow. */
function openReplica({ needs, chain, api, ...first }: PaymentWorld): Replica {
  const db = new Pool({ url: api.database.url, log: needs.log })
  const outbound = new HttpOutbound({ clock: api.clock }, { targets: 'any', allowHttp: true })
  const network = describeNetwork(31337, chain.contracts)
  const own: JobChanges = {
    db,
    chain: connectChain({ outbound, clock: api.clock, log: needs.log }, network, [chain.rpcUrl]),
  }
  return {
    scan: () => first.scan(own),
    step: async () => void (await first.job(jobNames.scanTransfers, own).run(new AbortController().signal)),
    async close() {
      await outbound.close()
      await db.close()
    },
  }
}

/** What the books say a deposit address holds. */
async function bookedNative({ depositAddress }: AttemptView): Promise<bigint> {
  const row = await world.needs.db.row<{ total: bigint }>(
    {
      name: 'test-booked-coin',
      text: 'SELECT coalesce(sum(amount), 0) AS total FROM deposit_coin WHERE lower(deposit_address) = lower($1)',
    },
    [depositAddress],
  )
  return row?.total ?? 0n
}

function unmatchedOf(id: string) {
  return world.needs.db.rows(
    {
      name: 'test-unmatched-of',
      text: `SELECT reason, amount, token_address, state FROM unmatched_payment
        WHERE merchant = $1 AND receipt_id = $2`,
    },
    [world.merchant.wallet, id],
  )
}

/** One round of the watcher of every block. */
async function watch() {
  await world.job(jobNames.scanTransfers).run(new AbortController().signal)
}

/** Anybody may sweep. */
async function sweep({ depositAddress }: AttemptView): Promise<void> {
  const target = await world.needs.db.row<{ split_address: Hex; reference: Hex }>(
    {
      name: 'test-sweep-target',
      text: 'SELECT split_address, reference FROM attempt_target WHERE lower(deposit_address) = lower($1)',
    },
    [depositAddress],
  )
  if (!target) throw new Error('an attempt is watched')
  const args = [target.split_address, target.reference, nativeAddress] as const
  const data = encodeFunctionData({ abi: splitFactoryAbi, functionName: 'sweep', args })
  await world.send({ to: world.needs.chain.factory, data })
  await world.mine()
}

const look = () => proxied.look()
const passTime = (seconds: number) => proxied.passTime(seconds)
