/** A second between the first looks, and longer from look to look, up to this. */
const longestMs = 8_000
const firstMs = 1_000
const quickLooks = 10

/** How often something is looked at: for more than half an hour in all. */
export const maxLooks = 300

/** A block should have a transaction by then. */
export const stuckAfterMs = 60_000

/**
 * Waits before the next look at something: longer with each look, and while nobody sees the page as long as that
 * lasts. A page that was left waits for ever.
 */
export async function pauseBeforeLook(lookCount: number): Promise<void> {
  const ms = Math.min(longestMs, firstMs * 1.25 ** Math.max(0, lookCount - quickLooks))
  await new Promise((resolve) => setTimeout(resolve, ms))
  if (document.visibilityState === 'visible') return
  await new Promise<void>((resolve) => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      document.removeEventListener('visibilitychange', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
  })
}
