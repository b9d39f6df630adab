import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form'
import { ApiError } from './api-error.ts'

/**
 * Puts what the service finds wrong with single fields where they are typed in.
 *
 * @param fieldOf the field of the form that a path of the API is typed in, or nothing.
 * @returns whether everything it said has a place; else the whole error is to be shown too.
 */
export function showIssues<Form extends FieldValues>(
  error: unknown,
  setError: UseFormSetError<Form>,
  fieldOf: (path: string) => FieldPath<Form> | undefined,
): boolean {
  if (!(error instanceof ApiError) || error.issues.length === 0) return false
  let isWhole = true
  for (const { path, message } of error.issues) {
    const field = fieldOf(path)
    if (field === undefined) isWhole = false
    else setError(field, { message }, { shouldFocus: true })
  }
  return isWhole
}
