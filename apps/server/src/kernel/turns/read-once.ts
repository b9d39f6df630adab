/** Reads when asked first, and gives everybody who asks later the same. For what holds through one round of a job. */
export function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return () => {
    reading ??= read()
    return reading
  }
}
