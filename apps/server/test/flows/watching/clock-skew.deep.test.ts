import { afterEach, expect, test } from 'vitest'
import { judgeReadiness } from '../../../src/app/probes/readiness.ts'
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
const world = perFile(() => startPayments({ policy: always('seen'), outbound: far.over }))
afterEach(() => world.syncClock())

/** Where the chain is, in its own time. */
const chainNow = async () => Number((await world.chain.client.getBlock()).timestamp) * 1000

/** The next block comes `ms` after the last, and is read. */
async function goOn(ms: number): Promise<void> {
  const at = (await chainNow()) + ms
  await world.chain.client.setNextBlockTimestamp({ timestamp: BigInt(at / 1000) })
  await world.mineAndScan()
}

/** The machine's clock is off by `ms` from now on, and two blocks come meanwhile. */
async function setClockOff(ms: number): Promise<void> {
  world.api.clock.jumpTo((await chainNow()) + ms)
  await world.scan()
  for (let i = 0; i < 2; i++) {
    await world.api.clock.advance(2_000)
    await goOn(2_000)
  }
}

async function askForAttempt(id: string) {
  const path = `/api/checkout/${id}/attempts?recipient=${world.merchant.wallet}`
  return world.api.call('POST', path, { body: { token: 'USDC' } })
}

async function readiness() {
  const newestMigration = await findNewestMigrationFile()
  const factory = async () => ({ kind: 'stands' }) as const
  return judgeReadiness({ ...wellParts, ...world.needs, newestMigration, factory })
}

test.each(
  wrongClocks,
)('a clock a day %s makes no new quote, says so, and is well again when it is set right', async (name, off) => {
  await world.newReceipt(`off-${name}`, 20)
  await setClockOff(off)
  const refused = await askForAttempt(`off-${name}`)
  expect([refused.status, refused.body.error]).toEqual([503, 'chain_unavailable'])
  expect(refused.body.message).toContain("clock differs from the chain's")
  const { status, checks } = await readiness()
  expect([status, checks.clock?.ok]).toEqual(['degraded', false])
  const alerts = world.alerts().filter((alert) => alert === 'clock-differs')
  expect(alerts.length, 'said once').toBe(1)
  world.logged.length = 0

  await world.syncClock()
  expect((await askForAttempt(`off-${name}`)).status).toBe(201)
  expect((await readiness()).checks.clock?.ok).toBe(true)
})

test.each(
  wrongClocks,
)('a quote made before the clock fell a day %s holds its time by the chain', async (name, off) => {
  const id = `held-${name}`
  const attempt = await world.open(id, 20, 'USDC')
  await setClockOff(off)
  expect((await world.attempt(id, 'USDC')).attemptId, 'the offer stands').toBe(attempt.attemptId)
  expect((await world.checkout(id)).attempt?.attemptId).toBe(attempt.attemptId)
  await world.pay(attempt, 'transfer')
  await goOn(10 * 60_000)
  expect((await world.payment(id)).state).toBe('paid')
  const { text } = await world.api.call('GET', `/api/receipts/${id}`, { key: world.merchant.key })
  expect(text).not.toContain('"isLate":true')
})

test.each(
  wrongClocks,
)('an end of a receipt is judged by the chain while the clock is a day %s', async (name, off) => {
  await setClockOff(off)
  const make = (id: string, expiresAt: number) => {
    const body = { id, expiresAt, lineItems: [{ label: 'Tea', priceUsd: 5 }], totalUsd: 5 }
    return world.api.call('POST', '/api/receipts', { key: world.merchant.key, body })
  }
  expect((await make(`ends-${name}`, (await chainNow()) + dayMs / 2)).status).toBe(201)
  const late = await make(`ended-${name}`, (await chainNow()) - dayMs / 2)
  const issue = { path: 'expiresAt', message: 'must be in the future' }
  expect([late.status, late.body.issues]).toEqual([400, [issue]])
})

test('a quote made by a clock half a minute behind holds a quarter of an hour by the chain', async () => {
  await world.newReceipt('slow', 20)
  await setClockOff(-30_000)
  const attempt = await world.attempt('slow', 'USDC')
  expect(attempt.expiresAt).toBeGreaterThanOrEqual((await chainNow()) + quoteMs)
  await goOn(quoteMs - 60_000)
  expect((await world.payment('slow')).state).toBe('awaiting')
  await world.pay(attempt, 'transfer')
  await goOn(30_000)
  expect((await world.payment('slow')).state).toBe('paid')
})
