import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError, expectKeyErrors, expectSessionErrors } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { logIn, newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)

const path = '/api/shop/config'
const change = (body: object) => context.postAsOwner(path, body)
const config = async () => (await context.get(path)).body.config
/**
 * Expects that each value is stored and returned, and that each wrong value is rejected and changes nothing.
 */
async function takes(field: string, values: unknown[], wrong: unknown[], isTheme = false): Promise<void> {
  const body = (value: unknown) => (isTheme ? { theme: { [field]: value } } : { [field]: value })
  const of = (shop: Awaited<ReturnType<typeof config>>) => (isTheme ? shop.theme : shop)[field]
  for (const value of values) {
    const response = await change(body(value))
    expect(response.status, response.text).toBe(200)
    expect(of(response.body.config)).toEqual(value)
    expect(of(await config())).toEqual(value)
  }
  for (const value of wrong)
    expectError(await change(body(value)), 400, 'invalid_input', JSON.stringify(value))
  expect(of(await config())).toEqual(values.at(-1))
}
const takesInTheme = (field: string, values: unknown[], wrong: unknown[]) => takes(field, values, wrong, true)
const colours = ['#00ff88', '#ABCDEF', '#fff', '#0af8', 'red', 'rgb(1, 2, 3)', 'hsl(120deg 50% 50% / 40%)']
const noColours = ['blurple', '#ff', 7, null, '#00ff88;', 'red;}', 'url(x)']
const images = ['https://cdn.example.com/a.png', '']
const noImages = ['http://cdn.example.com/a.png', 'javascript:alert(1)', 7, null]

row('shop.name', 'is a string', () => takes('name', ['Red Door', 'Blue Door'], [7, null, 'x'.repeat(201)]))
row('shop.description', 'is a string', () => takes('description', ['Coffee, tea\nand cake'], [7, null]))
row('shop.bio', 'is a string', () => takes('bio', ['Since 1999'], [7, null]))

row('shop.theme', 'is updated field by field, and reads return every field', async () => {
  expect((await change({ theme: { textColor: '#111111' } })).status).toBe(200)
  expect((await change({ theme: { accentColor: '#222222' } })).status).toBe(200)
  const { theme } = await config()
  expect(theme).toMatchObject({ textColor: '#111111', accentColor: '#222222' })
  const inTheme = ['primaryColor', 'secondaryColor', 'textColor', 'accentColor', 'fontFamily', 'heroFontSize']
  const ofPictures = ['brandLogoUrl', 'coverPhotoUrl', 'logoShape']
  expect(Object.keys(theme).sort()).toEqual([...inTheme, ...ofPictures].sort())
  expectError(await change({ theme: 'dark' }), 400, 'invalid_input')
})

row('shop.arrangement', 'is one of four values', () =>
  takes('arrangement', ['grid', 'featured_first', 'groups', 'carousel'], ['list', null, 7]),
)

row('shop.xpPerDollar', 'is a number of at least 0', () =>
  takes('xpPerDollar', [0, 1.5, 10], [-1, '10', null]),
)

row('shop.slug', 'is the unique public name, or null', async () => {
  await takes('slug', ['blue-door', null, 'blue-door-2'], ['Blue Door', 'ab', 'admin', 7])
  const session = await logIn(context, newWallet())
  const taken = await context.call('POST', path, { session, body: { slug: 'blue-door-2' } })
  expectError(taken, 409, 'slug_taken')
})

row('shop.links', 'contains labels with https URLs', async () => {
  const links = [
    { label: 'Menu', url: 'https://shop.example.com/menu' },
    { label: 'Map', url: 'https://m.example.com' },
  ]
  const script = [{ label: 'Menu', url: 'javascript:alert(1)' }]
  await takes('links', [[], links], [script, [{ label: 'Menu' }], 'none'])
})

row('shop.industryPack', 'is one of four values, or null', () =>
  takes('industryPack', ['restaurant', 'retail', 'hotel', 'freelancer', null], ['bank', 7]),
)

row(
  'shop.industryPackActivatedAt',
  'is the time at which the pack was chosen, or null without a pack',
  async () => {
    await change({ industryPack: null })
    expect((await config()).industryPackActivatedAt).toBeNull()
    await context.clock.advance(10)
    const at = context.clock.now()
    await change({ industryPack: 'hotel' })
    await context.clock.advance(10)
    await change({ industryPack: 'hotel' })
    expect((await config()).industryPackActivatedAt).toBe(at)
  },
)

row('shop.setupComplete', 'is true once name, slug and split exist', async () => {
  const account = newWallet()
  const session = await logIn(context, account)
  const completed = async (body: object) =>
    (await context.call('POST', path, { session, body })).body.config.setupComplete
  expect(await completed({ name: 'Corner' })).toBe(false)
  expect(await completed({ slug: 'corner-shop' })).toBe(false)
  await context.addSplit(account.wallet)
  expect(await completed({})).toBe(true)
  expect(await completed({ slug: null })).toBe(false)
})

row('shop.createdAt', 'is the creation time of the shop', async () => {
  const session = await logIn(context, newWallet())
  const at = context.clock.now()
  await context.call('POST', path, { session, body: { name: 'Corner' } })
  await context.clock.advance(10)
  const { body } = await context.call('POST', path, { session, body: { bio: 'x' } })
  expect(body.config.createdAt).toBe(at)
})

row('shop.updatedAt', 'is the time of the last change', async () => {
  await context.clock.advance(10)
  await change({ bio: 'Since 2001' })
  expect((await config()).updatedAt).toBe(context.clock.now())
})

row('shop-theme.primaryColor', 'is a color', () => takesInTheme('primaryColor', colours, noColours))
row('shop-theme.secondaryColor', 'is a color', () => takesInTheme('secondaryColor', colours, noColours))
row('shop-theme.textColor', 'is a color', () => takesInTheme('textColor', colours, noColours))
row('shop-theme.accentColor', 'is a color', () => takesInTheme('accentColor', colours, noColours))

row('shop-theme.brandLogoUrl', 'is an https URL or empty', () =>
  takesInTheme('brandLogoUrl', images, noImages),
)

row('shop-theme.coverPhotoUrl', 'is an https URL or empty', () =>
  takesInTheme('coverPhotoUrl', images, noImages),
)

row('shop-theme.fontFamily', 'is a list of font names and rejects other CSS', () =>
  takesInTheme('fontFamily', ['"IBM Plex Sans", sans-serif', ''], ['x;}body{', 7]),
)

row('shop-theme.logoShape', 'is square or circle', () =>
  takesInTheme('logoShape', ['circle', 'square'], ['round', 7, null]),
)

row('shop-theme.heroFontSize', 'is one of five sizes', () =>
  takesInTheme('heroFontSize', ['microtext', 'small', 'medium', 'large', 'xlarge'], ['huge', 7, null]),
)

row('get-shop-config.answer', "returns every field of the shop of the subscription's merchant", async () => {
  const response = await context.get(path)
  expect([response.status, Object.keys(response.body)]).toEqual([200, ['config']])
  const texts = ['name', 'description', 'bio', 'slug', 'theme', 'arrangement', 'links', 'xpPerDollar']
  const states = ['industryPack', 'industryPackActivatedAt', 'setupComplete', 'createdAt', 'updatedAt']
  expect(Object.keys(response.body.config).sort()).toEqual([...texts, ...states].sort())
})

row('get-shop-config.slug', 'finds a shop without a key, and has no effect with a key', async () => {
  await change({ slug: 'blue-door', name: 'Blue Door' })
  const other = await context.addMerchant({ name: 'Corner' })
  const open = await context.call('GET', `${path}?slug=blue-door`)
  expect([open.status, open.body.config.name]).toEqual([200, 'Blue Door'])
  const keyed = await context.get(`${path}?slug=blue-door`, { key: other.key })
  expect(keyed.body.config.name).toBe('Corner')
  expectError(await context.call('GET', `${path}?slug=nobody-here`), 404, 'not_found')
})

row('get-shop-config.wallet-headers', 'have no effect if a key is sent', async () => {
  const other = await context.addMerchant({ name: 'Corner' })
  for (const name of ['x-wallet', 'wallet', 'x-merchant-wallet']) {
    const response = await context.get(path, { headers: { [name]: other.wallet } })
    expect(response.body.config.slug, name).toBe('blue-door')
  }
})

row('get-shop-config.404', 'is returned if there is no shop, with and without a key', async () => {
  const { key, wallet } = await context.addMerchant()
  for (const options of [{ key }, { key: undefined, headers: { 'x-merchant-wallet': wallet } }]) {
    const response = await context.get(path, options)
    expectError(response, 404, 'not_found')
    expect(response.body).not.toHaveProperty('config')
  }
})

row('get-shop-config.refusals', 'returns 401, 403, 429 and 500, each with its error code', () =>
  expectKeyErrors(context, { method: 'GET', path, table: 'shop' }, 'shop:read'),
)

row(
  'post-shop-config.answer',
  'returns ok and the whole shop, and changes only the fields that were sent',
  async () => {
    const before = await config()
    const response = await change({ name: 'Red Door', theme: { logoShape: 'circle' }, unknown: 1 })
    expect([response.status, response.body.ok]).toEqual([200, true])
    expect(response.body.config).toEqual({
      ...before,
      name: 'Red Door',
      theme: { ...before.theme, logoShape: 'circle' },
      updatedAt: context.clock.now(),
    })
    expect(await config()).toEqual(response.body.config)
  },
)

row('post-shop-config.wallet', "is the session's wallet, regardless of headers", async () => {
  const other = await context.addMerchant({ name: 'Corner' })
  const headers = { 'x-merchant-wallet': other.wallet, 'x-wallet': other.wallet }
  expect((await context.postAsOwner(path, { bio: 'mine' }, { headers })).status).toBe(200)
  expect((await config()).bio).toBe('mine')
  expect((await context.get(path, { key: other.key })).body.config.bio).toBe('')
})

row('post-shop-config.refusals', 'returns 401, 403, 429 and 500, and 403 for keys', () =>
  expectSessionErrors(context, { method: 'POST', path, body: { bio: 'x' }, table: 'shop' }, 'developer'),
)
