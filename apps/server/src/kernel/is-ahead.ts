/**
 * Whether an instant that was set to be at most `longestMs` away is still ahead. One further away was set by a clock
 * that was wrong and is right again: nothing waits for it.
 */
export function isAhead(instant: number, now: number, longestMs: number): boolean {
  return now < instant && instant - now <= longestMs
}
