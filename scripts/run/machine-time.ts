import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/**
 * Time that all processors of this machine have been busy since it booted, in milliseconds; `undefined` where there is
 * no `/proc/stat`. Every process counts, database servers and browsers included.
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

/** Milliseconds that a fixed loop takes. Hours and machines differ by a factor of two; this figure tells by how much. */
export function measureReferenceMs(): number {
  const startedAt = performance.now()
  let value = 1
  for (let i = 0; i < 200_000_000; i++) {
    value ^= value << 13
    value ^= value >>> 17
    value ^= value << 5
  }
  // Without a use of the value the loop might be removed.
  return value === 0 ? 0 : performance.now() - startedAt
}
