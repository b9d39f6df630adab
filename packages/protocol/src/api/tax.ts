import { type Static, Type } from 'typebox'

export const jurisdictionText =
  'Tax jurisdiction: <country>-<region>, or only the country if all its regions have the same rate.'

export const taxJurisdiction = Type.Object({
  jurisdictionCode: Type.String({
    description: '<country>-<region>, or the country alone if the rate applies to all its regions.',
  }),
  country: Type.String({ description: 'ISO 3166-1.' }),
  region: Type.Union([Type.String(), Type.Null()], { description: 'Null for any region of the country.' }),
  name: Type.String(),
  taxRate: Type.Number({ description: 'A fraction: 0.0725 means 7.25%.' }),
  components: Type.Array(Type.Object({ name: Type.String(), taxRate: Type.Number() })),
  source: Type.String(),
  date: Type.String({ description: 'The date of the rate in the source, in ISO 8601.' }),
})

export const taxCatalogResponse = Type.Object({ jurisdictions: Type.Array(taxJurisdiction) })

export type TaxJurisdiction = Static<typeof taxJurisdiction>
