import { ApiError } from './api-error.ts'

/** Shows each validation error at its form field. Returns the errors that belong to no field. */
export function placeIssues(
  error: unknown,
  /** Maps a path in the request (`lineItems/0/amount`) to a form field. */
  fieldOf: (path: string) => string | undefined,
  show: (field: string, message: string) => void,
): readonly string[] {
  if (!(error instanceof ApiError)) return []
  return error.issues.flatMap(({ path, message }) => {
    const field = fieldOf(path)
    if (field === undefined) return [path === '' ? message : `${path}: ${message}`]
    show(field, message)
    return []
  })
}
