/**
 * Reads when asked first, and gives the same for as long as the process lives. A reading that failed is forgotten, so that
 * the next who asks tries again.
 */
export function remember<T>(read: () => Promise<T>): () => Promise<T> {
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
