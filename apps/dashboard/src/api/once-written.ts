/**
 * Calls `then` after a successful write, even if the component was unmounted. The mutation holds any error.
 */
export function onceWritten(write: Promise<unknown>, then: () => void): void {
  write.then(then, () => {})
}
