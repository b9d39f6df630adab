import { type TaxJurisdiction, taxCatalogAnswer } from '@sluice/protocol/api/tax.ts'
import { type Route, route } from '../access/route.ts'
import { type CatalogRate, taxCatalog } from '../pricing/taxes/catalog.ts'
import { writeTaxRate } from '../pricing/taxes/tax-rate.ts'

const jurisdictions = taxCatalog.map(viewRate)

/** The built-in tax rates. */
export function taxRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/tax/catalog',
      access: { kind: 'public' },
      description: 'List the built-in tax rates. Each comes with its source and the date it was published.',
      answers: { 200: taxCatalogAnswer },
      async handle() {
        return { status: 200, body: { jurisdictions } }
      },
    }),
  ]
}

function viewRate({ code, name, rate, components, source, date }: CatalogRate): TaxJurisdiction {
  const [country = '', region] = code.split('-')
  return {
    jurisdictionCode: code,
    country,
    region: region ?? null,
    name,
    taxRate: writeTaxRate(rate),
    components: components.map((part) => ({ name: part.name, taxRate: writeTaxRate(part.rate) })),
    source,
    date,
  }
}
