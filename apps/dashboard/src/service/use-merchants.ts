import { useQuery } from '@tanstack/react-query'
import { api, contentOf } from '../api/client.ts'
import type { operations } from '../api/schema.d.ts'

type Body = operations['getAuthMerchants']['responses'][200]['content']['application/json']

export type OwnMerchant = Body['merchants'][number]

/** Returns the wallet's merchants. A shop change refreshes the list, because it can rename a merchant. */
export function useMerchants(): readonly OwnMerchant[] | undefined {
  const { data } = useQuery({
    queryKey: ['shop', 'merchants'],
    queryFn: async () => (await contentOf(api.GET('/api/auth/merchants'))).merchants,
    staleTime: 60_000,
  })
  return data
}
