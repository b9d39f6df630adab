import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useFreshLogin } from '../session/fresh-login.tsx'
import { ApiError } from './api-error.ts'

/**
 * A write to the service: once it is through, what depends on it is read again. Where the service wants a younger
 * login, the wallet is asked in place and the write goes out once more, so that no form is lost.
 *
 * @param write sends it; it must be safe to send again after a refusal.
 * @param changes the queries whose content it changes.
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
