import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { startPageHarness } from '../../support/browser/page-harness.ts'
import { perFile } from '../../support/per-file.ts'

const harness = perFile(() => startPageHarness())

describe('GET /pay/{id}', () => {
  it('allows no inline script, no frame, no referrer and no cache, with a new nonce each time', async () => {
    const url = harness.put('headers')
    const [first, second] = await Promise.all([fetch(url), fetch(url)])
    const policy = first.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/default-src 'none'; script-src 'nonce-[\w-]{24}'; style-src 'nonce-[\w-]{24}'/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toBe(second.headers.get('content-security-policy'))
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect(first.headers.get('referrer-policy')).toBe('no-referrer')
    expect(first.headers.get('x-content-type-options')).toBe('nosniff')
    expect(first.headers.get('permissions-policy')).toContain('camera=()')
    const html = await first.text()
    expect(html).not.toMatch(/ style=|<script(?![^>]* src=)| on\w+=/)
  })

  it('shows what merchants write as text, wherever it stands', async () => {
    const evil = `</title><script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202e`
    const url = harness.put('hostile', {
      brandName: evil,
      lineItems: [{ label: evil, priceUsd: 25 }],
      failure: { code: evil, category: 'system', providerRequestId: evil },
      status: 'failed',
    })
    for (const status of ['failed', 'pending', 'paid']) {
      harness.put('hostile', { brandName: evil, lineItems: [{ label: evil, priceUsd: 25 }], status })
      const html = await (await fetch(url)).text()
      expect(html).not.toContain('<script>')
      expect(html).not.toContain('<img src=x')
      expect(html.match(/<title>(.*)<\/title>/)?.[1]).not.toContain('\u202e')
    }
    const unknown = await fetch(`${harness.url}/pay/${encodeURIComponent(evil)}`)
    expect(unknown.status).toBe(404)
    expect(await unknown.text()).not.toContain('<script>')
  })

  it('keeps within its budget: HTML and CSS in one TCP window, the script under 12 kB', async () => {
    const page = await fetch(harness.put('budget'), { headers: { 'accept-encoding': 'gzip' } })
    const html = await page.text()
    const size = async (pattern: RegExp) => {
      const path = html.match(pattern)?.[0]
      const file = await fetch(`${harness.url}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      expect(file.headers.get('cache-control')).toContain('immutable')
      await file.arrayBuffer()
      return Number(file.headers.get('content-length'))
    }
    const css = await size(/\/assets\/checkout\.\w+\.css/)
    const script = await size(/\/assets\/checkout\.\w+\.js/)
    expect(Number(page.headers.get('content-length')) + css).toBeLessThan(14_000)
    expect(script).toBeLessThan(12_000)
    expect(await size(/\/assets\/icon\.\w+\.svg/)).toBeGreaterThan(0)
  })

  it('lets pages of any origin use its images, and nothing else', async () => {
    const html = await (await fetch(harness.put('cors'))).text()
    const allowed = async (pattern: RegExp) =>
      (await fetch(`${harness.url}${html.match(pattern)?.[0]}`)).headers.get('access-control-allow-origin')
    expect(await allowed(/\/assets\/icon\.\w+\.svg/)).toBe('*')
    expect(await allowed(/\/assets\/checkout\.\w+\.js/)).toBeNull()
  })

  it('speaks gzip only to who understands it', async () => {
    const url = harness.put('plain')
    const plain = await harness.app.inject({ url: new URL(url).pathname })
    expect(plain.headers['content-encoding']).toBeUndefined()
    const headers = { 'accept-encoding': 'gzip, br' }
    const packed = await harness.app.inject({ url: new URL(url).pathname, headers })
    expect(gunzipSync(packed.rawPayload).toString()).toContain('</html>')
  })

  it('answers an outage with 503, says when to come back, and shows nothing of the fault', async () => {
    const url = harness.put('outage')
    harness.error.find = new Error('password of the database: hunter2')
    const response = await fetch(url)
    delete harness.error.find
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await response.text()).not.toContain('hunter2')
  })
})
