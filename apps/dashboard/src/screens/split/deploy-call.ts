import { type QueryClient, useQuery } from '@tanstack/react-query'
import type { Call } from '../../wallet/send-transaction.ts'

const queryKey = ['split', 'deploy-call']

/** Keeps the call that deploys the split just set up; null: the service does it by itself. */
export function keepDeployCall(queries: QueryClient, call: Call | null): void {
  queries.setQueryData(queryKey, call)
}

/** That call; `undefined` until the service was asked for it. */
export function useDeployCall(): Call | null | undefined {
  return useQuery<Call | null>({ queryKey, queryFn: () => null, enabled: false }).data
}
