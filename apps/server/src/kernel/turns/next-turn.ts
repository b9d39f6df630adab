/** Lets everything else that waits have its turn: for long work that would hold up the process. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
