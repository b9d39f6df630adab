import { createHash } from 'node:crypto'

/** How many lanes the work is divided into; kept in rows, so never changed. */
export const laneCount = 64

/** Each lane's number. */
export const allLanes: readonly number[] = Array.from({ length: laneCount }, (_, lane) => lane)

/** The lane a merchant is in: processes share out lanes, never one merchant's work. */
export function laneOf(merchant: string): number {
  return (createHash('sha256').update(merchant).digest()[0] ?? 0) % laneCount
}
