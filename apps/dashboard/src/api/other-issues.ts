import { placeIssues } from './place-issues.ts'

/** Returns the API's validation errors as text, for a form without matching fields. */
export function otherIssues(error: unknown): readonly string[] {
  return placeIssues(
    error,
    () => undefined,
    () => {},
  ).map((issue) => issue.replace(/^(?:action|receiptId|txHash|claimId): /, ''))
}
