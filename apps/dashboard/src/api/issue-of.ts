import { ApiError } from './api-error.ts'

/**
 * Returns the API's error message for a field, given its path in the request, such as `lineItems/0/amount`.
 */
export function issueOf(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.issues.find((issue) => issue.path === path)?.message
}

export function issueLines(error: unknown): string[] {
  return error instanceof ApiError ? error.issues.map(({ path, message }) => `${path}: ${message}`) : []
}
