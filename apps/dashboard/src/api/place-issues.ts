import { ApiError } from './api-error.ts'

/** Has a form show what the service found wrong, each at its field; and says what is left to be told at its end. */
export function placeIssues(
  error: unknown,
  /** The field of the form that a path of the request (`lineItems/0/amount`) stands for. */
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
