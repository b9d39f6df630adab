import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CallOptions, testBaseUrl } from '../../support/api/call-api.ts'
import { Asker } from '../../support/api/raw-requests.ts'
import { readQrImage } from '../../support/browser/read-qr.ts'
import { apiOf, makeTenant, type Tenant } from '../../support/service/tenant.ts'
import { startWholeService, type WholeService } from '../../support/service/whole-service.ts'

let service: WholeService
let asker: Asker
let merchant: Tenant
let other: Tenant

beforeAll(async () => {
  service = await startWholeService()
  asker = new Asker(service.port)
  merchant = await makeTenant(service, asker)
  other = await makeTenant(service, asker)
})
afterAll(async () => {
  asker?.close()
  await service?.stop()
})

const call = (method: string, path: string, options: CallOptions = {}) =>
  apiOf(service, asker).call(method, path, options)
const get = (path: string) => fetch(`http://127.0.0.1:${service.port}${path}`)

async function makeReceipt(of: Tenant, id: string): Promise<string> {
  const body = { id, totalUsd: 5, lineItems: [{ label: 'Coffee', priceUsd: 5 }] }
  const response = await call('POST', '/api/receipts', { key: of.key, body })
  expect(response.status, response.text).toBe(201)
  return id
}

async function readCode(path: string): Promise<string | undefined> {
  const response = await get(path)
  expect([path, response.status]).toEqual([path, 200])
  return readQrImage(Buffer.from(await response.arrayBuffer()))
}

describe('the checkout in a frame', () => {
  const framesOf = async (of: Tenant, id: string) => {
    const path = `/pay/${id}?recipient=${of.wallet}`
    const { headers } = await call('GET', path, { headers: { 'sec-fetch-dest': 'iframe' } })
    const policy = /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')
    return [policy?.[1], headers.get('x-frame-options')]
  }

  test('is allowed to the origins its merchant names, and not to those of others', async () => {
    for (const of of [merchant, other]) await makeReceipt(of, 'framed')
    const session = merchant.sessions.owner
    const body = { embedOrigins: ['https://shop.example', 'https://shop.example:8443'] }
    expect((await call('POST', '/api/settings', { session, body })).status).toBe(200)
    expect(await framesOf(merchant, 'framed')).toEqual([
      'https://shop.example https://shop.example:8443',
      null,
    ])
    expect(await framesOf(other, 'framed')).toEqual(["'none'", 'DENY'])
    await call('POST', '/api/settings', { session, body: { embedOrigins: [] } })
    expect(await framesOf(merchant, 'framed')).toEqual(["'none'", 'DENY'])
  })

  test('is allowed by owners and admins alone', async () => {
    const body = { embedOrigins: ['https://evil.example'] }
    for (const role of ['cashier', 'developer', 'viewer'] as const) {
      const session = merchant.sessions[role]
      expect((await call('POST', '/api/settings', { session, body })).status, role).toBe(403)
    }
  })

  test('is opened by a script that is asked for again now and then', async () => {
    const response = await get('/embed.js')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    const etag = response.headers.get('etag') ?? ''
    const again = await fetch(response.url, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })
})

describe('the code of a receipt for print', () => {
  test.each(['svg', 'png'])('as %s says where it is paid, in as few letters as can be', async (format) => {
    const made = merchant.receipts.terminal
    expect(await readCode(`/portal/${made}.${format}`)).toBe(`${testBaseUrl}/pay/${made}`)
    const given = await makeReceipt(merchant, `table-${format}-7`)
    expect(await readCode(`/portal/${given}.${format}?recipient=${merchant.wallet}`)).toBe(
      `${testBaseUrl}/pay/${given}?recipient=${merchant.wallet}`,
    )
  })

  test('may be kept, and shown on any page', async () => {
    const made = merchant.receipts.terminal
    const { headers } = await get(`/portal/${made}.svg`)
    expect(headers.get('cache-control')).toBe('public, max-age=86400')
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(headers.get('content-type')).toBe('image/svg+xml')
  })

  test('there is none of what is no receipt, or of another merchant', async () => {
    const id = await makeReceipt(merchant, 'mine')
    for (const path of [
      '/portal/nothing.svg',
      `/portal/${id}.svg`,
      `/portal/${id}.svg?recipient=${other.wallet}`,
      `/portal/${id}.gif?recipient=${merchant.wallet}`,
      `/portal/.png?recipient=${merchant.wallet}`,
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404])
  })

  test('does not stand in the way of a receipt whose id ends like a picture', async () => {
    const id = await makeReceipt(merchant, 'scan.png')
    const page = await get(`/portal/${id}?recipient=${merchant.wallet}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await readCode(`/portal/${id}.png?recipient=${merchant.wallet}`)).toBe(
      `${testBaseUrl}/pay/scan.png?recipient=${merchant.wallet}`,
    )
  })
})
