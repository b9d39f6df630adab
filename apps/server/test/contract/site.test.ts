import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectDefect, expectError, expectRateLimit } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { logIn, newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const operator = newWallet()
const context = perFile(() => startMerchantApi({ operatorWallets: [operator.wallet] }))
const session = perFile(() => logIn(context, operator))
const path = '/api/site/config'

const site = async () => (await context.call('GET', path)).body
async function takes(name: string, values: unknown[], wrong: unknown[], isTheme = false): Promise<void> {
  const change = (value: unknown) => {
    const body = isTheme ? { theme: { [name]: value } } : { [name]: value }
    return context.call('POST', path, { session, body })
  }
  const found = async () => (isTheme ? (await site()).theme : await site())[name]
  for (const value of values) {
    const response = await change(value)
    expect(response.status, response.text).toBe(200)
    expect(await found()).toEqual(value)
  }
  for (const value of wrong) expectError(await change(value), 400, 'invalid_input', JSON.stringify(value))
  expect(await found()).toEqual(values.at(-1))
}
const field = (name: string, values: unknown[], wrong: unknown[]) => takes(name, values, wrong)
const inTheme = (name: string, values: unknown[], wrong: unknown[]) => takes(name, values, wrong, true)
const colours: [unknown[], unknown[]] = [
  ['#00ff88', '#ABCDEF', '#fff', 'red', 'rgb(1, 2, 3)', 'hsl(120deg 50% 50% / 40%)'],
  ['blurple', '#ff', 7, null, 'red;}'],
]
const images: [unknown[], unknown[]] = [
  ['https://cdn.example.com/a.png', ''],
  ['http://cdn.example.com/a.png', 'javascript:alert(1)', 7, null],
]

row('site.theme', 'contains its seven strings', async () => {
  const { theme } = await site()
  const images = ['brandFaviconUrl', 'brandLogoUrl', 'receiptBackgroundUrl']
  const others = ['brandName', 'fontFamily', 'primaryColor', 'secondaryColor']
  expect(Object.keys(theme).sort()).toEqual([...images, ...others].sort())
  for (const text of Object.values(theme)) expect(typeof text).toBe('string')
})

row('site.processingFeePct', 'is a percentage with at most two decimals, or null', () =>
  field('processingFeePct', [0, 0.5, 2.75, 20, null], [-0.5, 20.01, 0.125, '1']),
)

row('site.defaultPaymentToken', 'is one of five tokens', () =>
  field('defaultPaymentToken', ['ETH', 'USDT', 'cbBTC', 'cbXRP', 'USDC'], ['DOGE', 'usdc', null, 7]),
)

row('site.reserveRatios', 'contains fractions by token that add up to 1, or is null', () =>
  field('reserveRatios', [{ USDC: 0.7, ETH: 0.3 }, null], [{ USDC: 0.7 }, { DOGE: 1 }, { USDC: '1' }, 7]),
)

row('site-theme.primaryColor', 'is a color', () => inTheme('primaryColor', ...colours))
row('site-theme.secondaryColor', 'is a color', () => inTheme('secondaryColor', ...colours))
row('site-theme.brandLogoUrl', 'is an https URL or empty', () => inTheme('brandLogoUrl', ...images))
row('site-theme.brandFaviconUrl', 'is an https URL or empty', () => inTheme('brandFaviconUrl', ...images))

row('site-theme.brandName', 'is a string that is not empty', () =>
  inTheme('brandName', ['Harbour Pay'], ['', '  ', 7, null]),
)

row('site-theme.fontFamily', 'is a list of font names and rejects other CSS', () =>
  inTheme('fontFamily', ['"IBM Plex Sans", sans-serif', ''], ['x;}body{', 7]),
)

row('site-theme.receiptBackgroundUrl', 'is an https URL or empty', () =>
  inTheme('receiptBackgroundUrl', ...images),
)

row('get-site-config.public', 'returns the whole configuration without authentication', async () => {
  const response = await context.call('GET', path)
  expect(response.status).toBe(200)
  const fields = ['defaultPaymentToken', 'processingFeePct', 'reserveRatios', 'theme']
  expect(Object.keys(response.body).sort()).toEqual(fields)
})

row('get-site-config.key', 'is required if the deployment requires a key', async () => {
  const closed = await startMerchantApi({ beside: context, siteConfigRequiresKey: true })
  try {
    expectError(await closed.call('GET', path), 401, 'unauthorized')
    expect((await closed.get(path)).status).toBe(200)
  } finally {
    await closed.stop()
  }
})

row(
  'get-site-config.rate-limit',
  'is reported in headers and then with 429; a defect returns 500',
  async () => {
    const endpoint = { method: 'GET', path, table: 'brand' }
    await expectRateLimit(context, endpoint, {})
    await expectDefect(context, endpoint, {})
  },
)
