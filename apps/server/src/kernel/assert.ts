/** Throws when what must hold does not: a defect of ours, never an answer to a caller. */
export function assert(condition: unknown, whyItMustHold: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${whyItMustHold}`)
}
