import { useQuery } from '@tanstack/react-query'
import { api, contentOf } from '../api/client.ts'
import type { operations } from '../api/schema.d.ts'

/** The chain of the service, and how wallets are connected. */
export type WebApp = operations['getWebApp']['responses'][200]['content']['application/json']

/** What the service says of itself before anybody is signed in; `undefined` until it is read. */
export function useWebApp(): WebApp | undefined {
  const { data } = useQuery({
    queryKey: ['web-app'],
    queryFn: () => contentOf(api.GET('/api/web-app')),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}
