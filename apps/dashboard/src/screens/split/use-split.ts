import { useQuery } from '@tanstack/react-query'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'

export type Split = operations['getSplitDeploy']['responses'][200]['content']['application/json']['split']

const lookEveryMs = 2_000

/** Returns the merchant's split. Polls while one of the split's contracts is being deployed. */
export function useSplit() {
  return useQuery({
    queryKey: ['split'],
    queryFn: async () => (await contentOf(api.GET('/api/split/deploy'))).split,
    refetchInterval: ({ state }) => (state.data && isOnItsWay(state.data) ? lookEveryMs : false),
  })
}

/** Returns whether a contract is required but not deployed yet. */
export function isOnItsWay({ address, deployed, pending }: Split): boolean {
  if (address !== null && !deployed) return true
  return pending !== null && !pending.deployed && pending.effectiveAt <= Date.now()
}
