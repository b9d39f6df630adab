import { describeFailure, type FailureFields } from '@sluice/protocol/failures.ts'
import { expect } from 'vitest'
import { perFile } from '../support/per-file.ts'
import { startNotifiedWorld } from '../support/webhooks/notified-world.ts'
import { cardRow } from '../support/worlds/row.ts'

/** What webhooks tell of a card provider, of which there is none yet. */
const world = perFile(startNotifiedWorld)

const hook = () => ({ webhook_url: `${world.receiver.url}/hook` })
const blocked = describeFailure('PORTAL_PAY_TRANSACTION_BLOCKED', {
  errorCode: 'crypto_onramp_transaction_blocked',
  requestId: null,
})
const declined = describeFailure('PORTAL_PAY_INSUFFICIENT_FUNDS', {
  errorCode: 'insufficient_funds',
  requestId: 'req_1',
})
/** The body of the one webhook of a receipt that was paid. */
async function paid() {
  const id = await world.newReceipt(hook())
  await world.takeForPaid(id)
  return bodyOfOne(id)
}
/** Of one that failed as a provider's signed event will have it, moved by hand until there is one. */
async function failedAtProvider(failure: FailureFields) {
  const id = await world.newReceipt(hook())
  await world.move(id, 'failure_verified', { failure })
  return bodyOfOne(id)
}
async function bodyOfOne(id: string) {
  const [received] = await world.received(id, 1)
  return JSON.parse(received?.body.toString() ?? 'null')
}

cardRow(
  'webhook-body.provider-fields',
  "are the provider's code and reference, and null otherwise",
  async () => {
    const two = { providerErrorCode: 'insufficient_funds', providerRequestId: 'req_1' }
    expect(await failedAtProvider(declined)).toMatchObject(two)
    expect(await paid()).toMatchObject({ providerErrorCode: null, providerRequestId: null })
  },
)

cardRow(
  'webhook-body.providerSourceAmountUsd',
  'is left out where no provider settled anything',
  async () => {
    expect(await paid()).not.toHaveProperty('providerSourceAmountUsd')
  },
)

cardRow('webhook-body.providerSessionId', 'is null where no provider was asked', async () => {
  expect((await paid()).providerSessionId).toBeNull()
})

cardRow('webhook-body.isProviderSessionUnique', 'is false where there is no session', async () => {
  expect((await paid()).isProviderSessionUnique).toBe(false)
})

cardRow(
  'webhook-body.blocked-payload',
  'is compliance with the code of the provider and nothing made up',
  async () => {
    expect(await failedAtProvider(blocked)).toMatchObject({
      status: 'failed',
      failureCode: 'PORTAL_PAY_TRANSACTION_BLOCKED',
      failureCategory: 'compliance',
      providerErrorCode: 'crypto_onramp_transaction_blocked',
      providerRequestId: null,
    })
  },
)
