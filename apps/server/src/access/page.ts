import { invalidInput } from '../kernel/refusal.ts'

const defaultLimit = 100 // contract: Limits
const maxLimit = 200

/**
 * How many rows a list was asked for.
 *
 * @throws {Refusal} `invalid_input` outside 1–200.
 */
export function parseLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= maxLimit) return limit
  throw invalidInput({ path: 'limit', message: `must be a whole number from 1 to ${maxLimit}` })
}

/** The refusal of a cursor that no list gave. */
export function badCursor() {
  return invalidInput({ path: 'cursor', message: 'is not one this list gave' })
}
