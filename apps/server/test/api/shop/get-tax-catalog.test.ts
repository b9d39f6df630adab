import { expect, test } from 'vitest'
import { startShop } from '../../support/api/shop.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)

test('GET /api/tax/catalog is open to everybody and says of each rate where it is from and from when', async () => {
  const { status, body } = await shop.call('GET', '/api/tax/catalog')
  expect(status).toBe(200)
  expect(body.jurisdictions).toHaveLength(98)
  const byCode = new Map(
    body.jurisdictions.map((each: { jurisdictionCode: string }) => [each.jurisdictionCode, each]),
  )
  expect(byCode.get('US-CA')).toEqual({
    jurisdictionCode: 'US-CA',
    country: 'US',
    region: 'CA',
    name: 'California',
    taxRate: 0.0725,
    components: [
      { name: 'State sales tax', taxRate: 0.06 },
      { name: 'Statewide local tax', taxRate: 0.0125 },
    ],
    source: expect.any(String),
    date: '2025-07-01',
  })
  expect(byCode.get('DE')).toMatchObject({ country: 'DE', region: null, taxRate: 0.19 })
})
