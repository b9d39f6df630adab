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

const context = perCase(startPayments)
const usdc = () => context.tokenAddress('USDC')

async function decide(restored: TestApi, id: string | undefined, body: object) {
  const session = await logInAs(restored, context.merchant.wallet, 'owner')
  return restored.call('POST', `/api/payments/unmatched/${id}`, { session, body })
}

test('what was paid in a lost time is an unmatched payment of its merchant, once, and is swept', async () => {
  const copy = await copyDatabase(context.database)
  const byToken = await context.open('by-token', 10, 'USDC')
  const byCoin = await context.open('by-coin', 25, 'ETH')
  const taken = await context.open('taken', 20, 'USDC')
  const sent = await context.pay(byToken, 'transfer')
  await context.pay(byCoin, 'transfer')
  const early = await context.pay(taken, 'transfer', 3_000_000n)
  await context.mine()
  const [split, reference] = [taken.payTo as Wallet, taken.reference as Hex]
  const sweep = { to: context.needs.chain.factory, data: sweepData({ split, reference, token: usdc() }) }
  const swept = await context.send(sweep)
  await context.mine()
  const late = await context.pay(taken, 'transfer', 4_000_000n)
  await context.mine(8)

  await withRestored(context, copy, async (restored) => {
    await look(restored)
    // The watcher reads each address's balance once a minute.
    await context.passTime(61)
    await look(restored)
    const found = await listUnmatched(context, restored)
    const shown = found.map(({ transactionHash: hash, token, amountRaw, payer }) => ({
      hash,
      token,
      amountRaw,
      payer,
    }))
    const payer = context.buyer.address
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

    await context.passTime(3_600)
    await look(restored)
    expect(await listUnmatched(context, restored)).toHaveLength(4)
    for (let block = 0; block < 8; block++) {
      await restored.run(...keeperWork)
      await context.mine()
    }
    await restored.run(...keeperWork)
    for (const { depositAddress } of [byToken, byCoin, taken])
      expect([
        await context.balanceOf(usdc(), depositAddress),
        await context.balanceOf(nativeAddress, depositAddress),
      ]).toEqual([0n, 0n])
  })
})

test('an address of the lost time that is paid only after new ones were handed out pays no other receipt', async () => {
  const copy = await copyDatabase(context.database)
  const lost = await context.open('lost', 10, 'USDC')
  await withRestored(context, copy, async (restored) => {
    await look(restored)
    expect(await listUnmatched(context, restored)).toEqual([])
    const { key, wallet } = context.merchant
    const body = { id: 'lost', lineItems: [{ label: 'Thing', priceUsd: 10 }], totalUsd: 10 }
    await restored.call('POST', '/api/receipts', { key, body })
    const again = await restored.call('POST', `/api/checkout/lost/attempts?recipient=${wallet}`, {
      body: { token: 'USDC' },
    })
    expect(again.body.depositAddress).not.toBe(lost.depositAddress)

    await context.pay(lost, 'transfer')
    await context.passTime(3_600)
    await look(restored)
    await restored.run(jobNames.refreshRates)
    const [payment, ...others] = await listUnmatched(context, restored)
    expect(others).toEqual([])
    expect(payment).toMatchObject({ amountRaw: '10000000', state: 'open', suggestedReceiptId: 'lost' })
    const { body: pending } = await restored.call('GET', '/api/receipts/lost', { key })
    expect(pending.status).toBe('pending')

    expect((await decide(restored, payment?.id, { action: 'apply', receiptId: 'lost' })).status).toBe(200)
    const isReconciled = async () =>
      (await restored.call('GET', '/api/receipts/lost', { key })).body.status === 'reconciled'
    for (let block = 0; block < 20 && !(await isReconciled()); block++) {
      await restored.run(...keeperWork)
      await context.passTime(60, 1)
    }
    expect(await isReconciled()).toBe(true)
  })
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
