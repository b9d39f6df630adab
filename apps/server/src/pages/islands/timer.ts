import { say } from './stage.ts'

const marks = [
  { atMs: 300_000, text: 'at5' },
  { atMs: 60_000, text: 'at1' },
] as const

/**
 * Counts down to the quote's expiry with the monotonic clock, so that system clock changes have no effect.
 *
 * Announces the remaining time twice. The next panel announces the expiry.
 */
export function startTimer(onEnd: () => void): { stop(): void; leftMs(): number } {
  const shown = document.querySelector<HTMLElement>('[data-left-ms]')
  if (!shown) return { stop: () => {}, leftMs: () => 0 }
  const endAt = performance.now() + Number(shown.dataset.leftMs)
  let before = Number.POSITIVE_INFINITY
  const leftMs = () => endAt - performance.now()
  const tick = () => {
    const left = Math.max(0, leftMs())
    const seconds = Math.ceil(left / 1_000)
    shown.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    const mark = marks.find(
      ({ atMs }) => before > atMs && left <= atMs && before !== Number.POSITIVE_INFINITY,
    )
    if (mark) say(shown.dataset[mark.text] ?? '')
    before = left
    if (left > 0) return
    clearInterval(interval)
    onEnd()
  }
  const interval = setInterval(tick, 1_000)
  tick()
  return { stop: () => clearInterval(interval), leftMs }
}
