import { ApiError } from './api-error.ts'

/** What the service says is wrong with a field, by its path in what was sent: `lineItems/0/amount`. */
export function issueOf(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.issues.find((issue) => issue.path === path)?.message
}

/** Everything the service says is wrong with what was sent: for a form that has no place for some of it. */
export function issueLines(error: unknown): string[] {
  return error instanceof ApiError ? error.issues.map(({ path, message }) => `${path}: ${message}`) : []
}
