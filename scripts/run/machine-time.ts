import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/**
 * Returns the total busy time of all processors since boot, in milliseconds, or `undefined` without
 * `/proc/stat`. Includes every process, such as database servers and browsers.
 */
export function readBusyMs(): number | undefined {
  let text: string
  try {
    text = readFileSync('/proc/stat', 'utf8')
  } catch {
    return undefined
  }
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = text
    .slice(0, text.indexOf('\n'))
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return ((user + nice + system + irq + softirq) * 1_000) / ticksPerSecond
}

/**
 * Returns the milliseconds that a fixed loop takes. Machines and times of day differ by up to a factor of
 * two; this figure makes results comparable.
 */
export function measureReferenceMs(): number {
  const startedAt = performance.now()
  let value = 1
  for (let i = 0; i < 200_000_000; i++) {
    value ^= value << 13
    value ^= value >>> 17
    value ^= value << 5
  }
  // Uses the value; otherwise the compiler might remove the loop.
  return value === 0 ? 0 : performance.now() - startedAt
}
