import type { Cents } from '@sluice/protocol/money.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { findOwnFinality } from '../../../src/access/settings/find-settings.ts'
import { type FinalityPolicy, findPolicy } from '../../../src/payments/cursors/finality.ts'
import { logIn } from '../../support/api/sessions.ts'
import { startRefunds } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

// The safe block is two blocks behind the newest block, the final block four.
const refunds = perFile(startRefunds)
afterEach(() => set({ safeFromUsd: 100, finalFromUsd: 1_000 }))

const careful: FinalityPolicy = { safeFrom: 10_000n as Cents, finalFrom: 100_000n as Cents, least: 'safe' }

async function set(finality: { safeFromUsd: number; finalFromUsd: number }): Promise<void> {
  await refunds.syncClock()
  const response = await refunds.asOwner('POST', '/api/settings', { finality })
  expect(response.status).toBe(200)
}

async function payAndMine(usd: number, policy?: FinalityPolicy): Promise<string[]> {
  const id = refunds.newId()
  await refunds.pay(await refunds.open(id, usd, 'USDC'), 'call')
  const statuses: string[] = []
  for (let block = 0; block < 5; block++) {
    await refunds.mine()
    await refunds.scan(policy && { policy })
    statuses.push(await refunds.status(id))
  }
  return statuses
}

const paidAfter = (blocks: number) => Array.from({ length: 5 }, (_, i) => (i < blocks ? 'pending' : 'paid'))

describe("a merchant's own finality", () => {
  test('that goes deeper is paid later; what it has not set is the default', async () => {
    expect(await payAndMine(10)).toEqual(paidAfter(0))
    await set({ safeFromUsd: 5, finalFromUsd: 1_000 })
    expect(await payAndMine(10)).toEqual(paidAfter(2))
    await set({ safeFromUsd: 0, finalFromUsd: 0 })
    expect(await payAndMine(10)).toEqual(paidAfter(4))
  })

  test('that is shallower is paid sooner, and never shallower than the deployment allows', async () => {
    expect(await payAndMine(500)).toEqual(paidAfter(2))
    await set({ safeFromUsd: 1_000_000, finalFromUsd: 1_000_000 })
    expect(await payAndMine(500)).toEqual(paidAfter(0))
    expect(await payAndMine(500, careful)).toEqual(paidAfter(2))
    expect(await payAndMine(10, careful)).toEqual(paidAfter(2))
  })

  test('is what the checkout waits for', async () => {
    const id = refunds.newId()
    await refunds.newReceipt(id, 10)
    expect((await refunds.payment(id)).requiredConfirmations).toBe(1)
    await set({ safeFromUsd: 0, finalFromUsd: 0 })
    expect((await refunds.payment(id)).requiredConfirmations).toBe(5)
  })

  test('set deeper while a payment waits holds for it; what is credited stays', async () => {
    const [early, late] = [refunds.newId(), refunds.newId()]
    await refunds.pay(await refunds.open(early, 10, 'USDC'), 'call')
    await refunds.payAndScan(await refunds.open(late, 500, 'USDC'), 'call')
    expect([await refunds.status(early), await refunds.status(late)]).toEqual(['paid', 'pending'])
    await set({ safeFromUsd: 0, finalFromUsd: 0 })
    await refunds.mineAndScan(2)
    expect([await refunds.status(early), await refunds.status(late)]).toEqual(['paid', 'pending'])
    await refunds.mineAndScan(2)
    expect(await refunds.status(late)).toBe('paid')
  })

  test("is what a refund's transaction waits for", async () => {
    const receiptId = await refunds.paid(10)
    await set({ safeFromUsd: 0, finalFromUsd: 0 })
    const session = await refunds.logIn()
    const txHash = await refunds.sendBack(refunds.payee, 'USDC', 10_000_000n, 3)
    expect((await refunds.refund({ receiptId, usd: 10, txHash }, { session })).status).toBe(200)
    await refunds.verify()
    expect((await refunds.detail(receiptId)).refunds[0]).toMatchObject({ mark: 'tx_mined', isCounted: false })
    await refunds.mine(2)
    await refunds.verify()
    expect((await refunds.detail(receiptId)).status).toBe('refunded')
  })

  test('of a merchant that has only set other things is the deployment’s', async () => {
    const { api, needs } = refunds
    const merchant = await api.addMerchant()
    const session = await logIn(api, merchant)
    const body = { embedOrigins: ['https://shop.example'] }
    expect((await api.call('POST', '/api/settings', { session, body })).status).toBe(200)
    expect(await findOwnFinality(needs.db, merchant.wallet)).toBeUndefined()
    expect(await findPolicy(needs.db, careful, merchant.wallet)).toEqual(careful)
  })
})
