import { afterEach, expect, test } from 'vitest'
import { evaluateReadiness } from '../../../src/app/probes/readiness.ts'
import { findNewestMigrationFile } from '../../../src/platform/database/opening/migrate.ts'
import { wellParts } from '../../api/service/probed-service.ts'
import { always } from '../../support/chain/chain-api.ts'
import { farChain } from '../../support/chain/endpoints.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const dayMs = 24 * 3_600_000
const quoteMs = 15 * 60_000
const wrongClocks = [
  ['behind', -dayMs],
  ['ahead', dayMs],
] as const

const far = farChain()
far.isFar = true
const context = perFile(() => startPayments({ policy: always('seen'), outbound: far.over }))
afterEach(() => context.syncClock())

const chainNow = async () => Number((await context.chain.client.getBlock()).timestamp) * 1000

async function goOn(ms: number): Promise<void> {
  const at = (await chainNow()) + ms
  await context.chain.client.setNextBlockTimestamp({ timestamp: BigInt(at / 1000) })
  await context.mineAndScan()
}

/** Sets the machine's clock `ms` off from the chain's time while two blocks are mined. */
async function setClockOff(ms: number): Promise<void> {
  context.api.clock.jumpTo((await chainNow()) + ms)
  await context.scan()
  for (let i = 0; i < 2; i++) {
    await context.api.clock.advance(2_000)
    await goOn(2_000)
  }
}

async function askForAttempt(id: string) {
  const path = `/api/checkout/${id}/attempts?recipient=${context.merchant.wallet}`
  return context.api.call('POST', path, { body: { token: 'USDC' } })
}

async function readiness() {
  const newestMigration = await findNewestMigrationFile()
  const factory = async () => ({ kind: 'stands' }) as const
  return evaluateReadiness({ ...wellParts, ...context.needs, newestMigration, factory })
}

test.each(
  wrongClocks,
)('a clock a day %s makes no new quote, says so, and is well again when it is set right', async (name, off) => {
  await context.newReceipt(`off-${name}`, 20)
  await setClockOff(off)
  const refused = await askForAttempt(`off-${name}`)
  expect([refused.status, refused.body.error]).toEqual([503, 'chain_unavailable'])
  expect(refused.body.message).toContain("clock differs from the chain's")
  const { status, checks } = await readiness()
  expect([status, checks.clock?.ok]).toEqual(['degraded', false])
  const alerts = context.alerts().filter((alert) => alert === 'clock-differs')
  expect(alerts.length, 'said once').toBe(1)
  context.logged.length = 0

  await context.syncClock()
  expect((await askForAttempt(`off-${name}`)).status).toBe(201)
  expect((await readiness()).checks.clock?.ok).toBe(true)
})

test.each(
  wrongClocks,
)('a quote made before the clock fell a day %s holds its time by the chain', async (name, off) => {
  const id = `held-${name}`
  const attempt = await context.open(id, 20, 'USDC')
  await setClockOff(off)
  expect((await context.attempt(id, 'USDC')).attemptId, 'the offer stands').toBe(attempt.attemptId)
  expect((await context.checkout(id)).attempt?.attemptId).toBe(attempt.attemptId)
  await context.pay(attempt, 'transfer')
  await goOn(10 * 60_000)
  expect((await context.payment(id)).state).toBe('paid')
  const { text } = await context.api.call('GET', `/api/receipts/${id}`, { key: context.merchant.key })
  expect(text).not.toContain('"isLate":true')
})

test.each(
  wrongClocks,
)('an end of a receipt is judged by the chain while the clock is a day %s', async (name, off) => {
  await setClockOff(off)
  const make = (id: string, expiresAt: number) => {
    const body = { id, expiresAt, lineItems: [{ label: 'Tea', priceUsd: 5 }], totalUsd: 5 }
    return context.api.call('POST', '/api/receipts', { key: context.merchant.key, body })
  }
  expect((await make(`ends-${name}`, (await chainNow()) + dayMs / 2)).status).toBe(201)
  const late = await make(`ended-${name}`, (await chainNow()) - dayMs / 2)
  const issue = { path: 'expiresAt', message: 'must be in the future' }
  expect([late.status, late.body.issues]).toEqual([400, [issue]])
})

test('a quote made by a clock half a minute behind holds a quarter of an hour by the chain', async () => {
  await context.newReceipt('slow', 20)
  await setClockOff(-30_000)
  const attempt = await context.attempt('slow', 'USDC')
  expect(attempt.expiresAt).toBeGreaterThanOrEqual((await chainNow()) + quoteMs)
  await goOn(quoteMs - 60_000)
  expect((await context.payment('slow')).state).toBe('awaiting')
  await context.pay(attempt, 'transfer')
  await goOn(30_000)
  expect((await context.payment('slow')).state).toBe('paid')
})
