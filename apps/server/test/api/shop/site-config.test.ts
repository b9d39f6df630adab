import { beforeAll, describe, expect, test } from 'vitest'
import { BrandOrigins } from '../../../src/site/brand-origins.ts'
import type { ApiResponse } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { wrongFields } from '../../support/api/expect-errors.ts'
import { askAs } from '../../support/api/raw-requests.ts'
import { logIn, newWallet } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const path = '/api/site/config'
const account = newWallet()
const operators = { operatorWallets: [account.wallet] }
const api = perFile(() => startApi({ ...operators, signups: 'invited' }))
const closed = perFile(() => startApi({ beside: api, ...operators, siteConfigRequiresKey: true }))
const merchant = perFile(() => api.addMerchant())
const operator = perFile(() => logIn(api, account))

const post = (body: unknown, session = operator): Promise<ApiResponse> =>
  api.call('POST', path, { session, body })
const config = async () => (await api.call('GET', path)).body
const configAt = async (host: string) => (await askAs(api.url + path, host)).body

describe('GET /api/site/config', () => {
  test('200: anybody gets the own brand in exactly the fields of the contract', async () => {
    const response = await api.call('GET', path)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.body).toEqual({
      theme: {
        primaryColor: '#0b5d66',
        secondaryColor: '#eaf2f2',
        brandLogoUrl: '',
        brandFaviconUrl: '',
        brandName: 'Sluice',
        fontFamily: '',
        receiptBackgroundUrl: '',
      },
      processingFeePct: null,
      defaultPaymentToken: 'USDC',
      reserveRatios: null,
    })
  })

  test('200: a bad key changes nothing where none is asked for', async () => {
    expect((await api.call('GET', path, { key: 'sk_test_wrong' })).status).toBe(200)
  })

  test('401 without a key where SITE_CONFIG_REQUIRES_KEY says so; any key is good', async () => {
    const { key } = await api.addMerchant({ scopes: ['split:read'] })
    expect((await closed.call('GET', path)).body.error).toBe('unauthorized')
    expect((await closed.call('GET', path, { key: 'sk_test_wrong' })).status).toBe(401)
    expect((await closed.call('GET', path, { key })).status).toBe(200)
    expect((await closed.call('GET', path, { session: operator })).status).toBe(200)
  })
})

describe('POST /api/site/config', () => {
  test('200: what is given changes, the rest stays, in the theme too', async () => {
    const whole = {
      theme: {
        primaryColor: '#112233',
        secondaryColor: '#445566',
        brandLogoUrl: 'https://cdn.example.com/logo.svg',
        brandFaviconUrl: 'https://cdn.example.com/icon.png',
        brandName: 'Acme & Söhne',
        fontFamily: 'Inter',
        receiptBackgroundUrl: 'https://cdn.example.com/back.jpg',
      },
      processingFeePct: 0.5,
      defaultPaymentToken: 'cbBTC',
      reserveRatios: { USDC: 0.7, ETH: 0.2, cbBTC: 0.1 },
    }
    const first = await post(whole)
    expect(first.body).toEqual({ ok: true, brandKey: 'service', config: whole })
    const change = { reserveRatios: null, processingFeePct: 20 }
    const second = await post({ ...change, theme: { primaryColor: '#000000' } })
    const after = { ...whole, ...change, theme: { ...whole.theme, primaryColor: '#000000' } }
    expect(second.body.config).toEqual(after)
    expect(await config()).toEqual(after)
    await post({ processingFeePct: 0 })
    expect((await config()).processingFeePct).toBe(0)
    await post({ processingFeePct: null, theme: { brandName: 'Sluice', brandLogoUrl: '' } })
    expect((await config()).processingFeePct).toBeNull()
  })

  const newBrand = { brandKey: 'new', theme: { brandName: 'New' } }
  const ours = 'pay.example.com'
  const badDomains = [ours, 'https://a.example', 'a.example:8443', 'localhost', '10.0.0.1', 'a.example/@b']
  test.each([
    ...wrongFields({
      processingFeePct: [20.01, -0.01, 0.005, '1'],
      defaultPaymentToken: ['usdc', 'DOGE', null],
      reserveRatios: [{}, { USDC: 0.5 }, { USDC: 0.5, ETH: 0.500001 }],
      'theme/brandName': [' ', '', 'a\u2028b'],
      'theme/primaryColor': ['rgb(0,0'],
      'theme/brandFaviconUrl': ['//cdn.example.com/x'],
      'theme/receiptBackgroundUrl': ['https://x.example/a b'],
      'theme/fontFamily': ['</style>'],
      brandKey: ['Acme', 'acme_pay', '-acme', 'a\r\nX-Evil: 1'],
      domains: [['pay.acme.example']],
    }),
    ['reserveRatios/DOGE', { reserveRatios: { DOGE: 1 } }],
    ['reserveRatios/ETH', { reserveRatios: { USDC: 1.5, ETH: -0.5 } }],
    ['reserveRatios/USDC', { reserveRatios: { USDC: 0.3333333, ETH: 0.6666667 } }],
    ['reserveRatios/USDC', { reserveRatios: { USDC: '1' } }],
    ...badDomains.map((domain): [string, object] => ['domains/0', { ...newBrand, domains: [domain] }]),
    ['theme/brandName', { brandKey: 'new', domains: [] }],
  ])('400 invalid_input for %s, and nothing changes: %j', async (at, body) => {
    const before = await config()
    const response = await post(body)
    expectApiError(response, 400, 'invalid_input')
    expect(response.body.issues.map((issue: { path: string }) => issue.path)).toContain(at)
    expect(await config()).toEqual(before)
    const { brands } = (await api.call('GET', '/api/site/brands', { session: operator })).body
    expect(brands.map((brand: { key: string }) => brand.key)).not.toContain('new')
  })

  test('401 for nobody; 403 for keys, owners and forgeries', async () => {
    expect((await api.call('POST', path, { body: {} })).status).toBe(401)
    expect((await api.call('POST', path, { key: merchant.key, body: {} })).status).toBe(403)
    const owner = await logIn(api, merchant)
    expect((await post({ processingFeePct: 1 }, owner)).body.error).toBe('forbidden')
    expect((await api.call('GET', '/api/site/brands', { session: owner })).status).toBe(403)
    const forged = { session: operator, body: {}, headers: { origin: 'https://evil.example' } }
    expect((await api.call('POST', path, forged)).status).toBe(403)
  })
})

describe('partner brands', () => {
  const acme = { brandKey: 'acme-pay', theme: { brandName: 'Acme Pay' }, domains: ['Pay.Acme.example.'] }

  beforeAll(() => post({ ...acme, processingFeePct: 1.25 }))

  test('a brand answers on its domains, in any case and with any port; every other host is the own brand', async () => {
    for (const host of ['pay.acme.example', 'PAY.ACME.EXAMPLE', 'pay.acme.example:8443'])
      expect((await configAt(host)).theme.brandName).toBe('Acme Pay')
    const others = ['acme.example', 'evil.example', 'x.pay.acme.example', '127.0.0.1', "a'b.example"]
    for (const host of [...others, 'service']) expect((await configAt(host)).theme.brandName).toBe('Sluice')
  })

  test('X-Forwarded-Host and Forwarded choose no brand', async () => {
    const headers = { 'x-forwarded-host': 'pay.acme.example', forwarded: 'host=pay.acme.example' }
    expect((await api.call('GET', path, { headers })).body.theme.brandName).toBe('Sluice')
  })

  test('the operator sees all brands, the own first, with what their webhooks are sent under', async () => {
    const response = await api.call('GET', '/api/site/brands', { session: operator })
    expect(response.body.brands).toMatchObject([
      {
        key: 'service',
        domains: [],
        baseUrl: 'https://pay.example.com',
        webhookHeaderPrefix: 'X-Service-',
        webhookUserAgent: 'Service-Webhook/1.0',
      },
      {
        key: 'acme-pay',
        domains: ['pay.acme.example'],
        baseUrl: 'https://pay.acme.example',
        webhookHeaderPrefix: 'X-Acme-Pay-',
        webhookUserAgent: 'Acme-Pay-Webhook/1.0',
        config: { processingFeePct: 1.25 },
      },
    ])
  })

  test('400: a domain is one brand’s only, until that one gives it up', async () => {
    const zeta = { brandKey: 'zeta', theme: { brandName: 'Zeta' } }
    const refused = await post({ ...zeta, domains: ['z.example', 'pay.acme.example'] })
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'domains'])
    expect((await configAt('z.example')).theme.brandName).toBe('Sluice')
    await post({ brandKey: 'acme-pay', domains: [] })
    expect((await configAt('pay.acme.example')).theme.brandName).toBe('Sluice')
    expect((await post({ ...zeta, domains: ['pay.acme.example'] })).status).toBe(200)
    expect((await configAt('pay.acme.example')).theme.brandName).toBe('Zeta')
  })

  test('pages of a brand may write with a session, once its domain is known', async () => {
    const origins = new BrandOrigins()
    expect(origins.has('https://pay.acme.example')).toBe(false)
    await origins.refresh(api.needs.db)
    expect(origins.has('https://pay.acme.example')).toBe(true)
    const alike = ['http://pay.acme.example', 'https://pay.acme.example.evil.example']
    for (const origin of [...alike, 'https://evil.example']) expect(origins.has(origin)).toBe(false)
  })

  test('who changed what is in the audit log of the platform', async () => {
    const rows = await api.needs.db.rows<{ subject: string; actor: string }>({
      name: 'test-platform-audit',
      text: "SELECT subject, actor FROM audit_entry WHERE merchant = 'platform' AND action = 'site.changed' ORDER BY sequence DESC",
    })
    expect(rows[0]).toEqual({ subject: 'zeta', actor: operator.wallet })
  })
})
