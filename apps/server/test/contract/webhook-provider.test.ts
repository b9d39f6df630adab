import type { Cents } from '@sluice/protocol/money.ts'
import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { addCards, makePaperProvider, type PaperChange } from '../support/api/onramp.ts'
import { startNotifiedApi } from '../support/api/webhooks.ts'
import { perFile } from '../support/per-file.ts'
import { TestClock } from '../support/test-clock.ts'

const context = perFile(async () => {
  const now = new TestClock().now()
  const provider = makePaperProvider(() => now)
  const notified = await startNotifiedApi({ onramp: [provider] })
  await notified.addSplit(notified.merchant.wallet)
  return { ...notified, ...addCards(notified, provider) }
})

const hook = () => ({ webhook_url: `${context.receiver.url}/hook` })
async function paid() {
  const id = await context.newReceipt(hook())
  await context.takeForPaid(id)
  return bodyOfOne(id)
}
async function reported(change: PaperChange) {
  const { id, sessionId } = await context.newCardReceipt(hook())
  await context.report(sessionId, change)
  return { body: await bodyOfOne(id), sessionId }
}
async function bodyOfOne(id: string) {
  const [received] = await context.received(id, 1)
  return JSON.parse(received?.body.toString() ?? 'null')
}

row('webhook-body.provider-fields', "are the provider's code and reference, and null otherwise", async () => {
  const { body } = await reported({ kind: 'failed', errorCode: 'insufficient_funds', requestId: 'req_1' })
  expect(body).toMatchObject({
    status: 'failed',
    failureCode: 'PORTAL_PAY_INSUFFICIENT_FUNDS',
    providerErrorCode: 'insufficient_funds',
    providerRequestId: 'req_1',
  })
  expect(await paid()).toMatchObject({ providerErrorCode: null, providerRequestId: null })
})

row(
  'webhook-body.providerSourceAmountUsd',
  'is the amount that the provider charged, and absent if the provider did not report it',
  async () => {
    const { body } = await reported({ kind: 'settled', sourceCents: 389n as Cents })
    expect(body).toMatchObject({ status: 'paid', providerSourceAmountUsd: 3.89, totalUsd: 3.5 })
    expect((await reported({ kind: 'settled' })).body).not.toHaveProperty('providerSourceAmountUsd')
    expect(await paid()).not.toHaveProperty('providerSourceAmountUsd')
  },
)

row(
  'webhook-body.providerSessionId',
  'is the id of the provider session, or null without a session',
  async () => {
    const { body, sessionId } = await reported({ kind: 'accepted' })
    expect(body.providerSessionId).toBe(sessionId)
    expect((await paid()).providerSessionId).toBeNull()
  },
)

row(
  'webhook-body.isProviderSessionUnique',
  'is true with a provider session and false without one',
  async () => {
    expect((await reported({ kind: 'accepted' })).body.isProviderSessionUnique).toBe(true)
    expect((await paid()).isProviderSessionUnique).toBe(false)
  },
)

row(
  'webhook-body.blocked-payload',
  "has the category compliance and the provider's code, without invented details",
  async () => {
    const { body } = await reported({ kind: 'failed', errorCode: 'crypto_onramp_transaction_blocked' })
    expect(body).toMatchObject({
      status: 'failed',
      failureCode: 'PORTAL_PAY_TRANSACTION_BLOCKED',
      failureCategory: 'compliance',
      providerErrorCode: 'crypto_onramp_transaction_blocked',
      providerRequestId: null,
    })
  },
)
