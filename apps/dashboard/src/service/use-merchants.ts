import { useQuery } from '@tanstack/react-query'
import { api, contentOf } from '../api/client.ts'
import type { operations } from '../api/schema.d.ts'

type Body = operations['getAuthMerchants']['responses'][200]['content']['application/json']

/** A merchant that whoever is signed in may act for. */
export type OwnMerchant = Body['merchants'][number]

/** Those merchants, once they are read; a shop that is renamed is read again with it. */
export function useMerchants(): readonly OwnMerchant[] | undefined {
  const { data } = useQuery({
    queryKey: ['shop', 'merchants'],
    queryFn: async () => (await contentOf(api.GET('/api/auth/merchants'))).merchants,
    staleTime: 60_000,
  })
  return data
}
