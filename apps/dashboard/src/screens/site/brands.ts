import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'

type BrandList = operations['getSiteBrands']['responses'][200]['content']['application/json']

export type Brand = BrandList['brands'][number]

/** Key of the service's own brand. */
export const ownKey = 'service'

export function useBrands(): UseQueryResult<readonly Brand[]> {
  return useQuery({
    queryKey: ['brands'],
    queryFn: async () => (await contentOf(api.GET('/api/site/brands'))).brands,
  })
}
