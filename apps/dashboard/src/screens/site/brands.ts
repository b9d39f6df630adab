import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'

type BrandList = operations['getSiteBrands']['responses'][200]['content']['application/json']

/** A brand of the service. */
export type Brand = BrandList['brands'][number]

/** The brand of the service itself. */
export const ownKey = 'service'

/** Every brand, the service's own first. */
export function useBrands(): UseQueryResult<readonly Brand[]> {
  return useQuery({
    queryKey: ['brands'],
    queryFn: async () => (await contentOf(api.GET('/api/site/brands'))).brands,
  })
}
