import { invalidInput } from '../kernel/refusal.ts'

const defaultLimit = 100 // contract: Limits
const maxLimit = 200

/**
 * How many rows a list is asked for, from 1 to 200; 100 where it is not said.
 *
 * @throws {Refusal} `invalid_input`.
 */
export function parsePageLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= maxLimit) return limit
  throw invalidInput({ path: 'limit', message: `must be a whole number from 1 to ${maxLimit}` })
}
