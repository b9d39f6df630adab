/** Throws if an invariant does not hold. That is a defect, never an API error. */
export function assert(condition: unknown, whyItMustHold: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${whyItMustHold}`)
}
