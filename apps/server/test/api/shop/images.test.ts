import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { imageTargets } from '../../../src/images/fetch-image.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import type { Outbound, OutboundOutcome } from '../../../src/platform/outbound/outbound.ts'
import type { CallOptions } from '../../support/api/call-api.ts'
import { nonPublicHosts, watchLoopback } from '../../support/api/outbound.ts'
import { Asker } from '../../support/api/raw-requests.ts'
import { logIn } from '../../support/api/sessions.ts'
import { plainPicture } from '../../support/pictures.ts'
import { apiOf, makeTenant, type Tenant } from '../../support/service/tenant.ts'
import { startWholeService, type WholeService } from '../../support/service/whole-service.ts'

let service: WholeService
let asker: Asker
let merchant: Tenant
const pictures = new Map<string, OutboundOutcome>()
let fetched: string[] = []

const real = new HttpOutbound({ clock: systemClock }, { ...imageTargets, resolve: async () => ['127.0.0.1'] })
/** Serves the test's images. Other URLs are subject to the real rules, with a hostile name server. */
const outside: Outbound = {
  async request(request) {
    const { url } = request
    fetched.push(url)
    if (!url.startsWith('https://pictures.example/')) return real.request(request)
    return pictures.get(url) ?? { kind: 'error', error: 'network', detail: 'nobody there' }
  },
}

beforeAll(async () => {
  service = await startWholeService({ images: outside })
  asker = new Asker(service.port)
  merchant = await makeTenant(service, asker)
})
afterAll(async () => {
  asker?.close()
  await real.close()
  await service?.stop()
})
beforeEach(() => {
  fetched = []
})

const call = (method: string, path: string, options: CallOptions = {}) =>
  apiOf(service, asker).call(method, path, options)
const get = (path: string, headers = {}) => fetch(`http://127.0.0.1:${service.port}${path}`, { headers })

let count = 0
async function putPicture(colour: string): Promise<string> {
  const url = `https://pictures.example/${++count}.png`
  const body = await plainPicture(500, 500, colour).png().toBuffer()
  pictures.set(url, { kind: 'response', status: 200, headers: { 'content-type': 'text/html' }, body })
  return url
}

async function changeTheme(theme: Record<string, string>, name = 'Harbour Coffee', of = merchant) {
  const response = await call('POST', '/api/shop/config', {
    session: of.sessions.owner,
    body: { name, theme },
  })
  expect(response.status, response.text).toBe(200)
  await service.clock.advance(6_000)
}

async function openCheckout(of = merchant): Promise<string> {
  const id = `pictured-${++count}`
  const body = { id, totalUsd: 5, lineItems: [{ label: 'Coffee', priceUsd: 5 }] }
  expect((await call('POST', '/api/receipts', { key: of.key, body })).status).toBe(201)
  return (await call('GET', `/pay/${id}?recipient=${of.wallet}`)).text
}
const logoIn = (page: string) => /<img class="mark[^"]*" src="([^"]+)"/.exec(page)?.[1] ?? ''

async function colourOf(response: Response): Promise<string> {
  const { data } = await sharp(Buffer.from(await response.arrayBuffer()))
    .removeAlpha()
    .resize(1, 1)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [...data].map((part) => (part > 127 ? 'f' : '0')).join('')
}

describe("a merchant's logo", () => {
  test('is in its checkout, from an address of ours, made anew', async () => {
    await changeTheme({ brandLogoUrl: await putPicture('#ff0000') })
    const page = await openCheckout()
    expect(page).not.toContain('pictures.example')
    const response = await get(logoIn(page))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/webp')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400')
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(await colourOf(response)).toBe('f00')
  })

  test('has another address when it is another one, and the old address shows the new one', async () => {
    await changeTheme({ brandLogoUrl: await putPicture('#ff0000') })
    const before = logoIn(await openCheckout())
    await get(before)
    await changeTheme({ brandLogoUrl: await putPicture('#0000ff') })
    const after = logoIn(await openCheckout())
    expect(after).not.toBe(before)
    expect(await colourOf(await get(after))).toBe('00f')
  })

  test('that cannot be had is the initial letter, and looked for again a minute later', async () => {
    const url = 'https://pictures.example/later.png'
    await changeTheme({ brandLogoUrl: url, primaryColor: 'rebeccapurple' }, 'Müller & <Söhne>')
    const address = logoIn(await openCheckout())
    const response = await get(address)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/svg+xml')
    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    const svg = await response.text()
    expect(svg).toContain('>M</text>')
    expect(svg).toContain('fill="#663399"')
    const body = await plainPicture(500, 500, '#00ff00').png().toBuffer()
    pictures.set(url, { kind: 'response', status: 200, headers: {}, body })
    await service.clock.advance(61_000)
    expect(await colourOf(await get(address))).toBe('0f0')
  })

  test('is not sent again to who has it', async () => {
    await changeTheme({ brandLogoUrl: await putPicture('#ff0000') })
    const address = logoIn(await openCheckout())
    const etag = (await get(address)).headers.get('etag') ?? ''
    expect((await get(address, { 'if-none-match': etag })).status).toBe(304)
  })

  test('taken away leaves nothing at a new address', async () => {
    await changeTheme({ brandLogoUrl: await putPicture('#ff0000') })
    await changeTheme({ brandLogoUrl: '' })
    expect(logoIn(await openCheckout())).toBe('')
  })
})

describe('the image proxy', () => {
  test('fetches nothing that is not in a configuration', async () => {
    await changeTheme({ brandLogoUrl: '', coverPhotoUrl: '' })
    const wallet = merchant.wallet.toLowerCase()
    const evil = encodeURIComponent('https://evil.example/x.png')
    for (const path of [
      `/images/${wallet}/logo/AAAAAAAAAAAA-96.webp`,
      `/images/${wallet}/${evil}/AAAAAAAAAAAA-96.webp`,
      `/images/${evil}/logo/AAAAAAAAAAAA-96.webp`,
      `/images/${wallet}/logo/${evil}`,
      `/images/${wallet}/product.0.nothing/AAAAAAAAAAAA-400.webp`,
      '/images/brand.service/logo/AAAAAAAAAAAA-96.webp',
      '/images/brand.nobody/logo/AAAAAAAAAAAA-96.webp',
      '/images/brand.__proto__/logo/AAAAAAAAAAAA-96.webp',
      '/images/0x0000000000000000000000000000000000000001/logo/AAAAAAAAAAAA-96.webp',
      `/images/${merchant.wallet}/logo/AAAAAAAAAAAA-96.webp`,
      `/images/${wallet}/logo/..%2f..%2fetc-96.webp?url=https://evil.example/x.png`,
    ])
      expect((await get(path)).status, path).toBe(404)
    expect(fetched).toEqual([])
  })

  test("shows the pictures of products that are sold, and not those of others' shops or of drafts", async () => {
    const url = await putPicture('#ff00ff')
    const put = async (status: string) => {
      const body = { sku: `sku-${++count}`, name: 'Coffee', priceUsd: 3, images: [url], status }
      const response = await call('POST', '/api/inventory', { key: merchant.key, body })
      return String(response.body.item.id)
    }
    const address = (wallet: string, id: string) =>
      `/images/${wallet.toLowerCase()}/product.0.${id}/AAAAAAAAAAAA-400.webp`
    const [sold, draft] = [await put('active'), await put('draft')]
    const shown = await get(address(merchant.wallet, sold))
    expect([shown.status, await colourOf(shown)]).toEqual([200, 'f0f'])
    expect((await get(address(merchant.wallet, draft))).status).toBe(404)
    expect((await get(address(service.operator.wallet, sold))).status).toBe(404)
  })
})

describe('a merchant who names what is not public', () => {
  test('has us connect to nothing, in whatever spelling, and gets the placeholder', async () => {
    const { port, connectionCount } = await watchLoopback()
    const hosts = [...nonPublicHosts, 'rebind.example.com', 'localtest.me']
    const urls = hosts.map((host) => `https://${host}:${port}/x.png`)
    let shownCount = 0
    for (let at = 0; at < urls.length; at += 8) {
      const body = { sku: `sku-${++count}`, name: 'Trap', priceUsd: 1, images: urls.slice(at, at + 8) }
      const response = await call('POST', '/api/inventory', { key: merchant.key, body })
      // A host that is invalid in a URL makes the service reject the whole product. Each image is then stored
      // in its own product.
      const sent =
        response.status === 201
          ? [response]
          : await Promise.all(
              body.images.map((image) =>
                call('POST', '/api/inventory', {
                  key: merchant.key,
                  body: { ...body, sku: `sku-${++count}`, images: [image] },
                }),
              ),
            )
      for (const { body: stored } of sent.filter(({ status }) => status === 201)) {
        for (const index of (stored.item.images as string[]).keys()) {
          const shown = await get(
            `/images/${merchant.wallet.toLowerCase()}/product.${index}.${stored.item.id}/AAAAAAAAAAAA-400.webp`,
          )
          expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
          shownCount++
        }
      }
    }
    expect(shownCount).toBeGreaterThan(80)
    expect(connectionCount()).toBe(0)
  })
})

describe("a brand's pictures", () => {
  test('are those of the pages of merchants without a name of their own', async () => {
    const operator = await logIn({ call }, service.operator)
    const [logo, icon] = [await putPicture('#00ffff'), await putPicture('#ffff00')]
    const response = await call('POST', '/api/site/config', {
      session: operator,
      body: { theme: { brandLogoUrl: logo, brandFaviconUrl: icon } },
    })
    expect(response.status, response.text).toBe(200)
    await changeTheme({ brandLogoUrl: '' }, '')
    const page = await openCheckout()
    expect(await colourOf(await get(logoIn(page)))).toBe('0ff')
    const favicon = /<link rel="icon" href="([^"]+)"/.exec(page)?.[1] ?? ''
    const shown = await get(favicon)
    expect(shown.headers.get('content-type')).toBe('image/png')
    expect(await colourOf(shown)).toBe('ff0')
    await changeTheme({}, 'Harbour Coffee')
    expect(logoIn(await openCheckout()), 'a name of its own is not shown with the logo of another').toBe('')
  })
})

describe('the look of a checkout', () => {
  const variable = (page: string, name: string) => new RegExp(`--${name}:([^;}]+)`).exec(page)?.[1]

  test("is what the shop chose, and the brand's where the shop chose nothing", async () => {
    const operator = await logIn({ call }, service.operator)
    const theme = { primaryColor: 'rgb(6 95 70)', secondaryColor: 'mistyrose', fontFamily: 'Lora' }
    const response = await call('POST', '/api/site/config', { session: operator, body: { theme } })
    expect(response.status, response.text).toBe(200)
    const other = await makeTenant(service, asker)
    await changeTheme({ textColor: '#111', fontFamily: '' }, 'Other', other)
    const before = await openCheckout(other)
    expect([variable(before, 'primary'), variable(before, 'ink')]).toEqual(['#065f46', '#111111'])
    expect(before).toContain('font-family:"Lora"')
    await changeTheme(
      { primaryColor: 'HSL(271deg 81% 56% / 100%)', fontFamily: "'Inter', sans-serif" },
      'Other',
      other,
    )
    const after = await openCheckout(other)
    expect(variable(after, 'primary')).toBe('#9234ea')
    expect(after).toContain('font-family:"Inter"')
  })
})
