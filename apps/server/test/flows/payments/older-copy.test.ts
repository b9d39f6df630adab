import type { Wallet } from '@sluice/protocol/wallet.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { sweepData } from '../../../src/payments/sweeping/read-sweepable.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { logInAs } from '../../support/api/sessions.ts'
import type { TestApi } from '../../support/api/start-api.ts'
import { keeperWork } from '../../support/chain/keeper.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { copyDatabase } from '../../support/database/copy-database.ts'
import { perCase } from '../../support/per-file.ts'
import { listUnmatched, look, withRestored } from './restored-copy.ts'

const world = perCase(startPayments)
const usdc = () => world.tokenAddress('USDC')

async function decide(restored: TestApi, id: string | undefined, body: object) {
  const session = await logInAs(restored, world.merchant.wallet, 'owner')
  return restored.call('POST', `/api/payments/unmatched/${id}`, { session, body })
}

test('what was paid in a lost time is an unmatched payment of its merchant, once, and is swept', async () => {
  const copy = await copyDatabase(world.database)
  const byToken = await world.open('by-token', 10, 'USDC')
  const byCoin = await world.open('by-coin', 25, 'ETH')
  const taken = await world.open('taken', 20, 'USDC')
  const sent = await world.pay(byToken, 'transfer')
  await world.pay(byCoin, 'transfer')
  const early = await world.pay(taken, 'transfer', 3_000_000n)
  await world.mine()
  const [split, reference] = [taken.payTo as Wallet, taken.reference as Hex]
  const sweep = { to: world.needs.chain.factory, data: sweepData({ split, reference, token: usdc() }) }
  const swept = await world.send(sweep)
  await world.mine()
  const late = await world.pay(taken, 'transfer', 4_000_000n)
  await world.mine(8)

  await withRestored(world, copy, async (restored) => {
    await look(restored)
    // The watcher reads the balances of addresses in turn, all of them within a minute.
    await world.passTime(61)
    await look(restored)
    const found = await listUnmatched(world, restored)
    const shown = found.map(({ transactionHash: hash, token, amountRaw, payer }) => ({
      hash,
      token,
      amountRaw,
      payer,
    }))
    const payer = world.buyer.address
    expect(shown).toHaveLength(4)
    expect(shown).toEqual(
      expect.arrayContaining([
        { hash: sent.hash, token: 'USDC', amountRaw: '10000000', payer },
        { hash: swept.hash, token: 'USDC', amountRaw: '3000000', payer: null },
        { hash: late.hash, token: 'USDC', amountRaw: '4000000', payer },
        { hash: null, token: 'ETH', amountRaw: byCoin.amount, payer: null },
      ]),
    )
    expect(shown.map(({ hash }) => hash)).not.toContain(early.hash)
    for (const { reason, receiptId } of found) expect([reason, receiptId]).toEqual(['unknown-deposit', null])
    expect(restored.logged.filter(({ alert }) => alert === 'database-is-older')).toHaveLength(3)

    await world.passTime(3_600)
    await look(restored)
    expect(await listUnmatched(world, restored)).toHaveLength(4)
    for (let block = 0; block < 8; block++) {
      await restored.run(...keeperWork)
      await world.mine()
    }
    await restored.run(...keeperWork)
    for (const { depositAddress } of [byToken, byCoin, taken])
      expect([
        await world.balanceOf(usdc(), depositAddress),
        await world.balanceOf(nativeAddress, depositAddress),
      ]).toEqual([0n, 0n])
  })
})

test('an address of the lost time that is paid only after new ones were handed out pays no other receipt', async () => {
  const copy = await copyDatabase(world.database)
  const lost = await world.open('lost', 10, 'USDC')
  await withRestored(world, copy, async (restored) => {
    await look(restored)
    expect(await listUnmatched(world, restored)).toEqual([])
    const { key, wallet } = world.merchant
    const body = { id: 'lost', lineItems: [{ label: 'Thing', priceUsd: 10 }], totalUsd: 10 }
    await restored.call('POST', '/api/receipts', { key, body })
    const again = await restored.call('POST', `/api/checkout/lost/attempts?recipient=${wallet}`, {
      body: { token: 'USDC' },
    })
    expect(again.body.depositAddress).not.toBe(lost.depositAddress)

    await world.pay(lost, 'transfer')
    await world.passTime(3_600)
    await look(restored)
    await restored.run(jobNames.refreshRates)
    const [payment, ...others] = await listUnmatched(world, restored)
    expect(others).toEqual([])
    expect(payment).toMatchObject({ amountRaw: '10000000', state: 'open', suggestedReceiptId: 'lost' })
    const { body: pending } = await restored.call('GET', '/api/receipts/lost', { key })
    expect(pending.status).toBe('pending')

    expect((await decide(restored, payment?.id, { action: 'apply', receiptId: 'lost' })).status).toBe(200)
    const isReconciled = async () =>
      (await restored.call('GET', '/api/receipts/lost', { key })).body.status === 'reconciled'
    for (let block = 0; block < 20 && !(await isReconciled()); block++) {
      await restored.run(...keeperWork)
      await world.passTime(60, 1)
    }
    expect(await isReconciled()).toBe(true)
  })
})

test('where nothing was lost nothing is found, and looks become rare', async () => {
  await world.open('open', 10, 'USDC')
  const copy = await copyDatabase(world.database)
  await withRestored(world, copy, async (restored) => {
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
  const { api, needs } = world
  const job = api.job(jobNames.scanLost)
  const run = () => job.run(new AbortController().signal)
  const lostTimes = 'SELECT from_block::int AS block FROM lost_time'
  await world.mineAndScan(8)
  await run()
  expect(await world.rows(lostTimes)).toEqual([])
  const back = { name: '', text: `UPDATE chain_cursor SET number = number - 5, block_at = block_at - 5000` }
  await needs.db.run(back)
  await run()
  const [cursor] = await world.rows<{ block: number }>(
    `SELECT number::int AS block FROM chain_cursor WHERE name = 'transfers'`,
  )
  expect(await world.rows(lostTimes)).toEqual([cursor])
  await world.needs.db.run({ name: '', text: `UPDATE chain_cursor SET number = number + 5` })
})
