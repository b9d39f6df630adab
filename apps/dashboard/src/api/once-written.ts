/** Calls `then` after a successful write, even after an unmount. The mutation holds the error. */
export function onceWritten(write: Promise<unknown>, then: () => void): void {
  write.then(then, () => {})
}
