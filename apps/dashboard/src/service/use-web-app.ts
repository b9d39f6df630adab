import { useQuery } from '@tanstack/react-query'
import { api, contentOf } from '../api/client.ts'
import type { operations } from '../api/schema.d.ts'

export type WebApp = operations['getWebApp']['responses'][200]['content']['application/json']

/** Returns the service's public configuration, or `undefined` while it loads. */
export function useWebApp(): WebApp | undefined {
  const { data } = useQuery({
    queryKey: ['web-app'],
    queryFn: () => contentOf(api.GET('/api/web-app')),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}
