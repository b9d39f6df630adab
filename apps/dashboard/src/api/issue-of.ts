import { ApiError } from './api-error.ts'

/** What the service says is wrong with a field, by its path in what was sent: `lineItems/0/amount`. */
export function issueOf(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.issues.find((issue) => issue.path === path)?.message
}
