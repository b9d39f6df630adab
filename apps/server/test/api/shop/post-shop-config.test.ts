import { describe, expect, test } from 'vitest'
import { changeShop } from '../../../src/shop/change-shop.ts'
import type { ApiResponse } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { wrongFields } from '../../support/api/expect-errors.ts'
import { logIn, logInAs } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())
const session = perFile(() => logIn(api, merchant))
const other = perFile(() => api.addMerchant())
const otherSession = perFile(() => logIn(api, other))

const path = '/api/shop/config'
const post = (body: unknown, by = session): Promise<ApiResponse> =>
  api.call('POST', path, { session: by, body })
const config = async () => (await api.call('GET', path, { key: merchant.key })).body.config

describe('200', () => {
  test('an empty change makes the shop', async () => {
    const one = await api.addMerchant()
    const response = await post({}, await logIn(api, one))
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ ok: true, config: { name: '', slug: null, setupComplete: false } })
    expect((await api.call('GET', path, { key: one.key })).status).toBe(200)
  })

  test('what is given changes, the rest stays, in the theme too', async () => {
    const whole = {
      name: 'Blue Door ☕ 日本',
      description: 'Coffee\nand cake',
      bio: 'Since 1987',
      theme: {
        primaryColor: '#AABBCC',
        secondaryColor: '#010203',
        textColor: '#000000',
        accentColor: '#ffffff',
        brandLogoUrl: 'https://cdn.example.com/logo.png?v=1#x',
        coverPhotoUrl: 'https://cdn.example.com/cover.jpg',
        fontFamily: '"Inter", sans-serif',
        logoShape: 'circle',
        heroFontSize: 'microtext',
      },
      arrangement: 'featured_first',
      xpPerDollar: 10,
      slug: 'blue-door',
      links: [{ label: 'Menu', url: 'https://blue.example.com/menu' }],
      industryPack: 'restaurant',
    }
    const first = await post(whole)
    expect(first.body.config).toMatchObject(whole)
    const { createdAt, industryPackActivatedAt } = first.body.config
    await api.clock.advance(1_000)
    const second = await post({ theme: { heroFontSize: 'xlarge' }, name: 'Blue Door' })
    expect(second.body).toEqual({
      ok: true,
      config: {
        ...whole,
        name: 'Blue Door',
        theme: { ...whole.theme, heroFontSize: 'xlarge' },
        industryPackActivatedAt,
        setupComplete: false,
        createdAt,
        updatedAt: createdAt + 1_000,
      },
    })
    expect(await config()).toEqual(second.body.config)
  })

  test('a pack is activated when it changes to another, and gone with null', async () => {
    const at = async (industryPack: string | null) => {
      await api.clock.advance(60_000)
      return (await post({ industryPack })).body.config.industryPackActivatedAt
    }
    const hotel = await at('hotel')
    expect(hotel).toBe(api.clock.now())
    expect(await at('hotel')).toBe(hotel)
    expect(await at('retail')).toBe(hotel + 120_000)
    expect(await at(null)).toBeNull()
    expect(await config()).toMatchObject({ industryPack: null, industryPackActivatedAt: null })
  })

  test('unknown fields and those the service sets are ignored', async () => {
    const before = await config()
    const response = await post({
      setupComplete: true,
      createdAt: 1,
      updatedAt: 1,
      industryPackActivatedAt: 1,
      wallet: other.wallet,
      colour: 'red',
      theme: { constructor: 1, margin: 2 },
    })
    expect(response.status).toBe(200)
    expect(response.body.config).toEqual({ ...before, updatedAt: api.clock.now() })
  })

  test('a slug given up is free at once', async () => {
    await post({ slug: 'first-name' })
    await post({ slug: 'second-name' })
    expect((await post({ slug: 'first-name' }, otherSession)).status).toBe(200)
    await post({ slug: null }, otherSession)
    expect((await post({ slug: 'first-name' })).body.config.slug).toBe('first-name')
    expect((await post({ slug: 'first-name' })).status).toBe(200)
  })

  test('an admin may, and it is in the audit log', async () => {
    const admin = await logInAs(api, merchant.wallet, 'admin')
    expect((await post({ bio: 'By an admin' }, admin)).status).toBe(200)
    const audit = await api.call('GET', '/api/audit', { session })
    expect(audit.body.entries[0]).toMatchObject({
      action: 'shop.changed',
      actor: admin.wallet,
      subject: merchant.wallet,
      details: { fields: ['bio'] },
    })
  })
})

describe('400 invalid_input, and nothing changes', () => {
  const links = (link: object): object => ({ links: [link] })
  test.each([
    ...wrongFields({
      name: [1, null, 'x'.repeat(201), 'two\nlines', 'Shop\u202Eecivres', 'bell\u0007'],
      description: ['x'.repeat(4001), 'esc\u001B[31m'],
      bio: [[]],
      theme: ['dark', null],
      'theme/primaryColor': ['blurple', '#ff'],
      'theme/textColor': ['#gggggg'],
      'theme/accentColor': ['#0000000'],
      'theme/secondaryColor': ['#000000;}'],
      'theme/brandLogoUrl': [
        'http://cdn.example.com/a.png',
        'javascript:alert(1)',
        'https://user:pass@example.com/',
      ],
      'theme/coverPhotoUrl': ['https://example.com/"onload=1', 'https://', 'data:image/png;base64,AA'],
      'theme/fontFamily': ['x; background: url(//evil)'],
      'theme/logoShape': ['Circle'],
      'theme/heroFontSize': ['huge'],
      arrangement: ['list', 'constructor'],
      xpPerDollar: ['1', -1, 1.234, 1e9],
      slug: ['ab', 'x'.repeat(49), 'Upper', 'under_score', 'naïve', 'new\n', '', 'admin', 'api'],
      links: [{}, Array(51).fill({ label: 'a', url: 'https://a.example' })],
      industryPack: ['casino', ''],
    }),
    ['links/0/url', links({ label: 'a', url: 'ftp://a.example' })],
    ['links/0/url', links({ label: 'a', url: 'javascript:alert(1)' })],
    ['links/0/url', links({ label: 'a', url: 'mailto:' })],
    ['links/0/url', links({ label: 'a', url: 'tel:me' })],
    ['links/0/url', links({ label: 'a' })],
    ['links/0/label', links({ label: '', url: 'https://a.example' })],
  ])('%s: %j', async (at, body) => {
    await post({ bio: 'kept' })
    const before = await config()
    const response = await post({ bio: 'lost', ...body })
    expectApiError(response, 400, 'invalid_input')
    expect(response.body.issues.map((issue: { path: string }) => issue.path)).toContain(at)
    expect(await config()).toEqual(before)
  })

  test.each(['[]', '"text"', 'null', '{"name":', '{"__proto__":{}}'])('the body %s', async (body) => {
    expectApiError(await post(body), 400, 'invalid_input')
  })

  test('every fault is listed', async () => {
    const response = await post({ slug: 'admin', name: 'a\nb', theme: { brandLogoUrl: 'ftp://x' } })
    const paths = response.body.issues.map((issue: { path: string }) => issue.path)
    expect(paths).toEqual(['name', 'slug', 'theme/brandLogoUrl'])
  })
})

describe('401 and 403', () => {
  test('nobody', async () => {
    expectApiError(await api.call('POST', path, { body: {} }), 401, 'unauthorized')
  })

  test('a subscription key, whatever its scopes', async () => {
    const response = await api.call('POST', path, { key: merchant.key, body: { name: 'By key' } })
    expectApiError(response, 403, 'forbidden')
  })

  test.each(['developer', 'cashier', 'viewer'] as const)('a %s', async (role) => {
    expectApiError(await post({ name: 'No' }, await logInAs(api, merchant.wallet, role)), 403, 'forbidden')
  })

  test('a session without its CSRF token, or from another site', async () => {
    for (const headers of [{ 'x-csrf-token': 'wrong' }, { origin: 'https://evil.example' }]) {
      const response = await api.call('POST', path, { session, body: { name: 'Forged' }, headers })
      expectApiError(response, 403, 'forbidden')
    }
    expect((await config()).name).not.toBe('Forged')
  })
})

test('a merchant changes its own shop only, whatever wallet headers say', async () => {
  await post({ name: 'Mine' })
  const headers = { 'x-wallet': merchant.wallet, 'x-merchant-wallet': merchant.wallet }
  await api.call('POST', path, { session: otherSession, body: { name: 'Theirs' }, headers })
  expect((await config()).name).toBe('Mine')
  expect((await api.call('GET', path, { key: other.key })).body.config.name).toBe('Theirs')
})

describe('409 slug_taken', () => {
  test('a slug of another merchant, and nothing else of the change is kept', async () => {
    await post({ slug: 'taken', name: 'Before' })
    expectApiError(await post({ slug: 'taken', name: 'After' }, otherSession), 409, 'slug_taken')
    expect((await api.call('GET', path, { key: other.key })).body.config.name).not.toBe('After')
  })

  test('of many who want a slug at once, one gets it', async () => {
    const merchants = await Promise.all(Array.from({ length: 8 }, () => api.addMerchant()))
    const changes = merchants.map(({ wallet }) => changeShop(api.needs, wallet, { slug: 'wanted' }))
    const outcomes = await Promise.allSettled(changes)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'slug_taken' })
    expect((await api.call('GET', `${path}?slug=wanted`)).status).toBe(200)
  })

  test('shops that swap slugs at once never wait for each other and never share one', async () => {
    const [a, b] = await Promise.all([api.addMerchant(), api.addMerchant()])
    await changeShop(api.needs, a.wallet, { slug: 'slug-a' })
    await changeShop(api.needs, b.wallet, { slug: 'slug-b' })
    for (let round = 0; round < 5; round++) {
      await Promise.allSettled([
        changeShop(api.needs, a.wallet, { slug: 'slug-b' }),
        changeShop(api.needs, b.wallet, { slug: 'slug-a' }),
        changeShop(api.needs, a.wallet, { slug: null }),
      ])
      const responses = await Promise.all([a, b].map(({ key }) => api.call('GET', path, { key })))
      const slugs = responses.map(({ body }) => body.config.slug)
      expect(slugs[0] === null || slugs[0] !== slugs[1]).toBe(true)
      for (const slug of slugs.filter(Boolean))
        expect((await api.call('GET', `${path}?slug=${slug}`)).body.config.slug).toBe(slug)
    }
  })
})
