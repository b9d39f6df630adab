/** Memoizes a read for the lifetime of the process. The next call retries a failed read. */
export function memoize<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined
  return () => {
    if (known) return known
    const reading = read()
    known = reading
    reading.catch(() => {
      if (known === reading) known = undefined
    })
    return reading
  }
}
