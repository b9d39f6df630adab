import { describe, expect, test } from 'vitest'
import { receiptBody } from '../../support/api/receipts.ts'
import { nameOfRoute } from '../../support/routes/mounted-routes.ts'
import { samples } from '../../support/routes/samples.ts'
import { drawSample, testSeed } from '../../support/test-random.ts'
import { oddAndAllowed } from './bad-inputs/hostile-texts.ts'
import { startBadInputs, testWalk } from './bad-inputs/walk.ts'

/** Share of an endpoint's bad requests to send. `bad-inputs.deep.test.ts` sends all of them. */
const part = 0.05
const seed = testSeed()
console.log(`bad inputs: a sample; TEST_SEED=${seed} repeats it`)
const context = startBadInputs()
const { service, asker, tenant, headers } = context

describe('what is wrong', () => {
  test('is tried at every endpoint under /api', () => {
    const names = service.routes.map(nameOfRoute)
    expect(Object.keys(samples).toSorted()).toEqual(names.toSorted())
  })
})

describe('what is odd and allowed', () => {
  const json = () => ({ ...headers.key, 'content-type': 'application/json' })

  test('is given back as it came, and stands in no page or header as anything but text', async () => {
    for (const [i, text] of oddAndAllowed.entries()) {
      const id = `odd-${i}`
      const body = {
        ...receiptBody(id, 5, { lineItems: [{ label: text, priceUsd: 5 }] }),
        billingFirstName: text,
        transactionId: text,
        onSuccess: text,
        metadata: { note: text, ...(text === '__proto__' ? {} : { [text]: text }) },
      }
      const sent = { headers: json(), body: JSON.stringify(body) }
      const made = await asker.ask({ method: 'POST', target: '/api/receipts', ...sent })
      expect(made.status, made.text).toBe(201)
      const read = await asker.ask({ method: 'GET', target: `/api/receipts/${id}`, headers: headers.key })
      const detail = JSON.parse(read.text)
      expect(detail.lineItems[0].label).toBe(text)
      expect(detail.metadata).toEqual(body.metadata)
      expect(detail.transactionId).toBe(text)
      const target = `/pay/${id}?recipient=${tenant.wallet}`
      const page = await asker.ask({ method: 'GET', target })
      expect(page.status).toBe(200)
      for (const markup of ['<script>alert', '<img src=x', '<svg onload', "' onmouseover='", '<!--<script'])
        expect(page.text, text).not.toContain(markup)
      expect(page.headers['content-security-policy']).toMatch(/script-src [^;]*'nonce-/)
      expect(JSON.stringify(page.headers)).not.toContain(text.slice(0, 12))
    }
  })

  test('leaves the catalogue and the file of products what they are', async () => {
    for (const [i, name] of oddAndAllowed.entries()) {
      const body = JSON.stringify({ sku: `odd-${i}`, name, description: name, priceUsd: 1, category: name })
      const put = await asker.ask({ method: 'POST', target: '/api/inventory', headers: json(), body })
      expect([200, 201, 400], put.text).toContain(put.status)
      if (put.status === 400) continue
      const { item } = JSON.parse(put.text)
      expect([item.name, item.category]).toEqual([name, name])
      const target = `/api/inventory?q=${encodeURIComponent(name)}&category=${encodeURIComponent(name)}`
      const found = JSON.parse((await asker.ask({ method: 'GET', target, headers: headers.key })).text)
      expect(found.items.map(({ sku }: { sku: string }) => sku)).toEqual([`odd-${i}`])
    }
    const all = { method: 'GET', target: '/api/inventory/export', headers: headers.key }
    const file = (await asker.ask(all)).text
    const again = { headers: { 'content-type': 'text/csv', ...headers.key }, body: file }
    const put = await asker.ask({ method: 'POST', target: '/api/inventory/import', ...again })
    expect(put.status, put.text).toBe(200)
    expect((await asker.ask(all)).text).toBe(file)
  })
})

testWalk(context, (name, cases) => drawSample(`${seed} ${name}`, cases, Math.ceil(cases.length * part)))
