import { useQuery } from '@tanstack/react-query'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'

type Body = operations['getSubscriptions']['responses'][200]['content']['application/json']

/** An API client of the merchant. It has two keys. */
export type Subscription = Body['subscriptions'][number]

export type Scope = Subscription['scopes'][number]

/** New keys in plain text, which the API returns only once. */
export type FreshKeys = { readonly name: string; readonly keys: readonly { slot: string; key: string }[] }

/** Returns the API clients, newest first. Revoked clients are last. */
export function useSubscriptions() {
  return useQuery({
    queryKey: ['subscriptions'],
    queryFn: async () => {
      const { subscriptions } = await contentOf(api.GET('/api/subscriptions'))
      return subscriptions.toSorted(
        (a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null) || b.createdAt - a.createdAt,
      )
    },
  })
}
