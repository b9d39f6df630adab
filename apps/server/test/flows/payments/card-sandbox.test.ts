import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import { failingCards, payingCard } from '@sluice/protocol/test-cards.ts'
import { expect, test } from 'vitest'
import { errorCodeOf, testAccounts } from '../../../src/onramp/sandbox/test-cards.ts'
import { perFile } from '../../support/per-file.ts'
import { startLocalService } from '../../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const codes = Object.keys(failures) as FailureCode[]
const total = { lineItems: [{ label: 'Kettle', amount: 64.5 }] }

test('every code of the catalogue is reached by its test card, with what is known of it and the words of the provider', async () => {
  await Promise.all(
    codes.map(async (code) => {
      const id = `card-${code}`
      await payBy(id, { method: 'card', number: failingCards[code] })
      await expect.poll(() => service.status(id)).toBe('failed')
      const { category, reason, action } = failures[code]
      expect(await get(`/api/receipts/status?receiptId=${id}`)).toMatchObject({
        status: 'failed',
        failureCode: code,
        failureCategory: category,
        failureReason: reason,
        failureAction: action,
        providerErrorCode: errorCodeOf(code),
        providerRequestId: expect.stringMatching(/^req_\w{26}$/),
        transactionHash: null,
        isProviderSessionUnique: true,
        providerSessionId: expect.stringMatching(/^sbx_/),
      })
    }),
  )
})

test('a card that pays is paid and reconciled, and its money is delivered once', async () => {
  const ids = Array.from({ length: 6 }, (_, i) => `paid-${i}`)
  await Promise.all(ids.map((id) => payBy(id, { method: 'card', number: payingCard }, 2)))
  for (const id of ids) {
    await expect.poll(() => service.status(id)).toBe('reconciled')
    const { payment } = await get(`/api/receipts/${id}`)
    expect(payment).toMatchObject({ state: 'paid', provenBy: 'chain', received: 64.5, excess: 0 })
  }
})

test('bank accounts settle or are returned, and are pending until then', async () => {
  await Promise.all(
    Object.entries(testAccounts).map(async ([number, outcome]) => {
      const id = `bank-${number}`
      await payBy(id, { method: 'bank', number })
      await expect
        .poll(() => service.status(id), { timeout: 60_000, interval: 20 })
        .toBe('paid - ach pending')
      const end = outcome.kind === 'settles' ? 'reconciled' : 'failed'
      await expect.poll(() => service.status(id)).toBe(end)
      const { failureCode } = await get(`/api/receipts/status?receiptId=${id}`)
      expect(failureCode).toBe(outcome.kind === 'returned' ? outcome.code : null)
    }),
  )
})

test('the webhook of a failure carries its fields, in the one notification of the change', async () => {
  const bodies: Record<string, unknown>[] = []
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(await textOf(request)))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const card = { method: 'card', number: failingCards.PORTAL_PAY_TRANSACTION_BLOCKED }
    await payBy('told', card, 1, { webhook_url: `http://127.0.0.1:${port}/hook` })
    await expect.poll(() => bodies.length).toBe(1)
    expect(bodies[0]).toMatchObject({
      status: 'failed',
      previousStatus: 'pending',
      failureCode: 'PORTAL_PAY_TRANSACTION_BLOCKED',
      failureCategory: 'compliance',
      providerErrorCode: 'crypto_onramp_transaction_blocked',
      providerSessionId: expect.stringMatching(/^sbx_/),
      isProviderSessionUnique: true,
      token: 'USDC',
    })
  } finally {
    server.close()
  }
})

test('a number that is no test card is refused, kept nowhere and not shown again', async () => {
  const { url } = await openSession('real-card', {})
  const real = '5555 5555 5555 4444'
  const response = await post(url, { method: 'card', number: real })
  expect(response.status).toBe(400)
  expect(await response.text()).not.toMatch(/5555/)
  expect(await service.status('real-card')).toBe('pending')
})

test('a form of another site pays nothing, and an unknown session is not found', async () => {
  const { url } = await openSession('other-site', {})
  const form = { method: 'card', number: payingCard }
  expect((await post(url, form, 'https://evil.example')).status).toBe(404)
  expect(await service.status('other-site')).toBe('pending')
  for (const id of ['sbx_none', '%00', 'x'.repeat(90)])
    expect((await fetch(`${service.baseUrl}/sandbox/onramp/${id}`)).status).toBe(404)
})

async function payBy(
  id: string,
  form: Record<string, string>,
  times = 1,
  more: Record<string, unknown> = {},
) {
  const { url } = await openSession(id, more)
  const responses = await Promise.all(Array.from({ length: times }, () => post(url, form)))
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 303))
}

async function openSession(id: string, more: Record<string, unknown>): Promise<{ url: string }> {
  const { search } = new URL(await service.createReceipt(id, { ...total, ...more }))
  const response = await fetch(`${service.baseUrl}/api/checkout/${id}/onramp${search}`, { method: 'POST' })
  expect(response.status).toBe(201)
  return (await response.json()) as { url: string }
}

function post(url: string, form: Record<string, string>, origin = service.baseUrl): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin },
    body: new URLSearchParams(form),
  })
}

async function get(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(service.baseUrl + path, { headers: { 'x-api-key': service.subscriptionKey } })
  return (await response.json()) as Record<string, unknown>
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
