import type { UseMutationResult } from '@tanstack/react-query'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import { useWrite } from '../../api/use-write.ts'
import type { Unmatched } from './unmatched.ts'

export type Decision = operations['postPaymentsUnmatchedById']['requestBody']['content']['application/json']

export function useDecision({ id }: Unmatched): UseMutationResult<unknown, Error, Decision> {
  return useWrite(
    (body: Decision) =>
      contentOf(api.POST('/api/payments/unmatched/{id}', { params: { path: { id } }, body })),
    [['unmatched'], ['receipts']],
  )
}
