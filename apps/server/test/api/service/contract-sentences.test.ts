import { describe, expect, test } from 'vitest'
import { type CallOptions, sessionHeaders } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { Asker } from '../../support/api/raw-requests.ts'
import { receiptBody, takeForPaid } from '../../support/api/receipts.ts'
import { perFile } from '../../support/per-file.ts'
import { apiOf, makeTenant } from '../../support/service/tenant.ts'
import { startWholeService } from '../../support/service/whole-service.ts'

const service = perFile(startWholeService)
const asker = perFile(() => new Asker(service.port))
const merchant = perFile(() => makeTenant(service, asker))

const call = (method: string, path: string, options: CallOptions = {}) =>
  apiOf(service, asker).call(method, path, options)
const withKey = (method: string, path: string, body?: unknown) =>
  call(method, path, { key: merchant.key, body })
const withSession = (method: string, path: string, body?: unknown) =>
  call(method, path, { session: merchant.sessions.owner, body })

describe('a receipt id of the caller', () => {
  const odd = [
    '#1001',
    'a/b',
    '1001?x=1&y',
    '50% off',
    'Заказ-7',
    '注文１',
    'a%2Fb',
    '"quoted"',
    '\\',
    '🛒',
    '-',
  ]
  const longest = ['x'.repeat(128), '注'.repeat(128)]
  test.each([...odd, ...longest])('%s is taken, and found again wherever ids stand', async (id) => {
    if (id.includes(' ')) {
      expect((await withKey('POST', '/api/receipts', receiptBody(id))).body.error).toBe('invalid_input')
      return
    }
    const made = await withKey('POST', '/api/receipts', receiptBody(id))
    expect([made.status, made.body.id]).toEqual([201, id])
    const encoded = encodeURIComponent(id)
    expect(made.body.paymentUrl).toContain(`/portal/${encoded}?recipient=`)
    expect((await withKey('GET', `/api/receipts/${encoded}`)).body.receiptId).toBe(id)
    expect((await withKey('GET', `/api/receipts/status?receiptId=${encoded}`)).body.id).toBe(id)
    expect((await withKey('GET', `/api/terminal/check-payment?receiptId=${encoded}`)).status).toBe(200)
    const listed: { receiptId: string }[] = (await withKey('GET', '/api/receipts?limit=200')).body.receipts
    expect(listed.map(({ receiptId }) => receiptId)).toContain(id)
    const shown = await call('GET', `/api/checkout/${encoded}?recipient=${merchant.wallet}`)
    expect(shown.body.receiptId).toBe(id)
    expect((await call('GET', `/pay/${encoded}?recipient=${merchant.wallet}`)).status).toBe(200)
    const lineItems = [{ label: 'Cake', priceUsd: 4 }]
    expect((await withSession('PATCH', `/api/receipts/${encoded}`, { lineItems })).status).toBe(200)
    await takeForPaid({ call }, merchant, merchant.sessions.owner, id)
    expect((await withKey('GET', `/api/receipts/${encoded}`)).body.status).toBe('paid')
  })

  const invisible = ['', ' ', 'a b', '\u200ba', 'a\u202eb', '\u0301a', 'a\tb']
  test.each([...invisible, '.', '..', 'summary', 'x'.repeat(129)])('%j is refused', async (id) => {
    expect((await withKey('POST', '/api/receipts', receiptBody(id))).body.error).toBe('invalid_input')
  })
})

describe('telemetry', () => {
  const report = (status: string) =>
    call('POST', '/api/receipts/status', {
      body: { receiptId: merchant.receipts.pending, wallet: merchant.wallet, status },
    })
  const counted = ['onramp_', 'onramp_KYC-started', 'onramp_a b!~', `onramp_${'x'.repeat(57)}`]
  test.each(counted)('%s is counted and changes nothing', async (status) => {
    expect((await report(status)).body).toEqual({ ok: true })
    const { body } = await withKey('GET', `/api/receipts/${merchant.receipts.pending}`)
    expect(body.status).toBe('pending')
  })
  test.each([`onramp_${'x'.repeat(58)}`, 'onramp_é', 'onramp_\n'])('%j is 400', async (status) => {
    expect((await report(status)).body.error).toBe('invalid_input')
  })
})

describe('a wallet header without a credential', () => {
  const wallets = () => [{ 'x-wallet': merchant.wallet }, { wallet: merchant.wallet }]
  test('is 403 on public reads', async () => {
    const names = ['inventory', 'shop/config', 'site/config', 'failure-codes', `checkout/${merchant.orderId}`]
    for (const path of names.map((name) => `/api/${name}`))
      for (const headers of wallets()) {
        const reader = { ...headers, 'x-merchant-wallet': merchant.wallet }
        expectApiError(await call('GET', path, { headers: reader }), 403, 'forbidden', path)
      }
    const reader = { 'x-merchant-wallet': merchant.wallet }
    expect((await call('GET', '/api/inventory', { headers: reader })).status).toBe(200)
  })
  test('has no effect beside a valid key or session', async () => {
    for (const headers of wallets()) {
      expect((await call('GET', '/api/inventory', { key: merchant.key, headers })).status).toBe(200)
      const session = merchant.sessions.owner
      expect((await call('GET', '/api/shop/config', { session, headers })).status).toBe(200)
    }
  })
})

describe('the tax of a jurisdiction nobody has a rate for', () => {
  const order = (sku: string) =>
    withKey('POST', '/api/orders', { items: [{ sku, qty: 1 }], jurisdictionCode: 'ZZ-1' })
  test('is not needed where nothing is taxable', async () => {
    const made = await order(merchant.sku)
    expect(made.status).toBe(201)
    const { body } = await withKey('GET', `/api/orders/${made.body.id}`)
    expect(body).toMatchObject({ taxUsd: 0, taxFrom: 'none', jurisdictionCode: 'ZZ-1' })
  })
  test('is needed where something is', async () => {
    const product = { sku: 'taxed-1', name: 'Taxed', priceUsd: 2, taxable: true }
    expect((await withSession('POST', '/api/inventory', product)).status).toBe(201)
    const refused = await order('taxed-1')
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'jurisdictionCode'])
  })
})

describe('themes and links', () => {
  test('take colours in every common notation, kept as they were sent', async () => {
    const sent = ['#fff', '#FFF8', 'rebeccapurple', 'rgb(1 2 3 / 50%)', 'hsla(120, 50%, 50%, .5)']
    for (const primaryColor of sent) {
      const response = await withSession('POST', '/api/shop/config', { theme: { primaryColor } })
      expect([response.status, response.body.config?.theme.primaryColor]).toEqual([200, primaryColor])
    }
  })
  test('take addresses to write to and numbers to call', async () => {
    const people = ['mailto:shop@example.com?subject=Hello', 'tel:+49-30-1234']
    const pages = ['http://example.com/', 'https://a.example/']
    const links = [...people, ...pages].map((url) => ({ label: 'Link', url }))
    const response = await withSession('POST', '/api/shop/config', { links })
    expect(response.body.config?.links).toEqual(links)
  })
})

describe('split routes', () => {
  test('deploying a split that is configured gives it again, whatever the body', async () => {
    const { split } = (await withKey('GET', '/api/split/deploy')).body
    const recipients = [{ address: 'x', sharesBps: -1 }]
    for (const body of [
      {},
      { recipients: [] },
      { recipients: 'x' },
      { splitAddress: 7 },
      { recipients },
      [],
    ]) {
      const { status, body: reported } = await withSession('POST', '/api/split/deploy', body)
      expect([status, reported.idempotent, reported.split?.address]).toEqual([200, true, split.address])
    }
  })
  test('withdraw is 410 whatever the content type and body', async () => {
    const types = ['application/json', 'text/plain', 'application/xml', 'multipart/form-data; boundary=x', '']
    for (const type of types) {
      const reply = await asker.ask({
        method: 'POST',
        target: '/api/split/withdraw',
        body: '{"amount": ',
        headers: { ...sessionHeaders(merchant.sessions.owner), ...(type && { 'content-type': type }) },
      })
      expect([type, reply.status, JSON.parse(reply.text).error]).toEqual([type, 410, 'deprecated'])
    }
  })
})
