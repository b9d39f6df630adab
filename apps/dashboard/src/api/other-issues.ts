import { placeIssues } from './place-issues.ts'

/** What the service found wrong, for a form without fields of its own for it. */
export function otherIssues(error: unknown): readonly string[] {
  return placeIssues(
    error,
    () => undefined,
    () => {},
  ).map((issue) => issue.replace(/^(?:action|receiptId|txHash|claimId): /, ''))
}
