import { placeIssues } from './place-issues.ts'

/** Returns the issues of a request as text, for a form that has no field for them. */
export function otherIssues(error: unknown): readonly string[] {
  return placeIssues(
    error,
    () => undefined,
    () => {},
  ).map((issue) => issue.replace(/^(?:action|receiptId|txHash|claimId): /, ''))
}
