/**
 * Does something once a write is through, even where what it changed has taken its place off the screen by then; what
 * went wrong stands in the mutation.
 */
export function onceWritten(write: Promise<unknown>, then: () => void): void {
  write.then(then, () => {})
}
