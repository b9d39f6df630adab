import { checkoutView } from '@sluice/protocol/api/checkout.ts'
import { describe, expect, test } from 'vitest'
import { nameOfRoute } from '../../support/routes/mounted-routes.ts'
import { drawSample, testSeed } from '../../support/test-random.ts'
import { startTenancy, testTenancy } from './tenancy/walk.ts'

/** Requests to each endpoint. `tenancy-walk.deep.test.ts` sends all of them. */
const perEndpoint = 5
const seed = testSeed()
console.log(`tenancy: a sample; TEST_SEED=${seed} repeats it`)
const context = startTenancy()
const { service, a, mounted, everyProbe, ask } = context

describe('another merchant, or nobody,', () => {
  test('is tried at every endpoint there is', () => {
    expect(Object.keys(everyProbe).toSorted()).toEqual(mounted.toSorted())
  })

  test('meets a rule of access at everything under /api', () => {
    const declared = service.routes.map(nameOfRoute)
    const underApi = mounted.filter((name) => name.includes(' /api/'))
    expect(underApi.filter((name) => !declared.includes(name))).toEqual([])
    expect(service.routes.filter(({ access }) => !access)).toEqual([])
  })
})

testTenancy(context, (name, tries) => drawSample(`${seed} ${name}`, tries, perEndpoint))

describe('everybody', () => {
  const get = async (target: string, headers: Record<string, string> = {}) => {
    const reply = await ask({ target, outcome: 'public' }, 'GET', headers)
    expect(reply.status, reply.text).toBe(200)
    return JSON.parse(reply.text)
  }

  test('sees of a catalogue what a storefront shows: no costs, no drafts', async () => {
    const byWallet = await get('/api/inventory', { 'x-merchant-wallet': a.wallet })
    for (const { items, total } of [byWallet, await get(`/api/inventory?slug=${a.slug}`)]) {
      expect(total).toBe(2)
      expect(items.map(({ id }: { id: string }) => id).sort()).toEqual([a.productId, a.soldId].sort())
      for (const item of items) expect(Object.keys(item)).not.toContain('costUsd')
    }
  })

  test('sees of a shop its configuration alone', async () => {
    const { config } = await get('/api/shop/config', { 'x-merchant-wallet': a.wallet })
    expect(JSON.stringify(config)).not.toContain(a.wallet)
    expect(config.slug).toBe(a.slug)
  })

  test('sees of a receipt what its checkout shows: no billing, no metadata, no webhook', async () => {
    const known = Object.keys(checkoutView.properties)
    for (const id of Object.values(a.receipts)) {
      const view = await get(`/api/checkout/${id}?recipient=${a.wallet}`)
      expect(Object.keys(view).filter((field) => !known.includes(field))).toEqual([])
    }
  })
})
