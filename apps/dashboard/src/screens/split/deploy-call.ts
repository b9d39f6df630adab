import { type QueryClient, useQuery } from '@tanstack/react-query'
import type { Call } from '../../wallet/send-transaction.ts'

const queryKey = ['split', 'deploy-call']

/** Stores the call that deploys the new split, or null if the service deploys it. */
export function keepDeployCall(queries: QueryClient, call: Call | null): void {
  queries.setQueryData(queryKey, call)
}

/** Returns the stored call, or `undefined` before the first request to the service. */
export function useDeployCall(): Call | null | undefined {
  return useQuery<Call | null>({ queryKey, queryFn: () => null, enabled: false }).data
}
