/**
 * What `work` comes to, or the reason of `signal` as soon as that is aborted.
 *
 * The work itself goes on unheard: only for what leaves nothing behind when its process or its connection ends.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  work.catch(() => {})
  signal.throwIfAborted()
  let leave = () => {}
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason)
  })
  signal.addEventListener('abort', leave, { once: true })
  return Promise.race([work, left]).finally(() => signal.removeEventListener('abort', leave))
}
