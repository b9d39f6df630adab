import { useQuery } from '@tanstack/react-query'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'

/** The split of the merchant. */
export type Split = operations['getSplitDeploy']['responses'][200]['content']['application/json']['split']

const lookEveryMs = 2_000

/** The split, looked at again and again while a contract of it is on its way to the chain. */
export function useSplit() {
  return useQuery({
    queryKey: ['split'],
    queryFn: async () => (await contentOf(api.GET('/api/split/deploy'))).split,
    refetchInterval: ({ state }) => (state.data && isOnItsWay(state.data) ? lookEveryMs : false),
  })
}

/** Whether a contract is awaited that could be there any moment. */
export function isOnItsWay({ address, deployed, pending }: Split): boolean {
  if (address !== null && !deployed) return true
  return pending !== null && !pending.deployed && pending.effectiveAt <= Date.now()
}
