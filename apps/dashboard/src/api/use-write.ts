import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useFreshLogin } from '../session/fresh-login.tsx'
import { ApiError } from './api-error.ts'

/**
 * Returns a mutation that sends a write and then invalidates the queries `changes`.
 *
 * If the API requires a recent login, opens a dialog to log in with the wallet, then resends the write. Form
 * input is kept.
 *
 * @param write - Must be safe to repeat after an error response.
 */
export function useWrite<Input, Output>(
  write: (input: Input) => Promise<Output>,
  changes: readonly QueryKey[],
): UseMutationResult<Output, Error, Input> {
  const queries = useQueryClient()
  const logInAgain = useFreshLogin()
  return useMutation({
    async mutationFn(input: Input) {
      try {
        return await write(input)
      } catch (error) {
        if (!(error instanceof ApiError) || error.reason !== 'reauthentication_required') throw error
        await logInAgain()
        return write(input)
      }
    },
    async onSuccess() {
      await Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
  })
}
