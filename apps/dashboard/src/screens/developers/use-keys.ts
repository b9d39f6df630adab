import { useQuery } from '@tanstack/react-query'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'

type Body = operations['getSubscriptions']['responses'][200]['content']['application/json']

/** Who may call the API, with two keys. */
export type Subscription = Body['subscriptions'][number]

/** One right of a key. */
export type Scope = Subscription['scopes'][number]

/** Both keys, in the only moment in which they are known. */
export type FreshKeys = { readonly name: string; readonly keys: readonly { slot: string; key: string }[] }

/** Everybody who may call the API, the newest first; those revoked last. */
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
