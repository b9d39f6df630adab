import { Outage, outageCode } from '../../kernel/outage.ts'
import { isDiskFull } from '../database/degraded.ts'

/** An item cannot be done for a reason that its job has found out. */
export class ItemFault extends Error {
  readonly fault: string

  /** @param fault - A short word for it, one of few: figures are counted by it. */
  constructor(fault: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ItemFault'
    this.fault = fault
  }
}

/**
 * Whether an error is of the item that was worked on: bad data, a broken rule, a defect it sets off. Outages,
 * timeouts and conflicts of transactions befall whichever item has its turn, and say nothing of it. A disk that is full is
 * that of the item's merchant: where it is everybody's, the item cannot be set aside either.
 */
export function isItemFault(error: unknown): boolean {
  if (isDiskFull(error)) return true
  if (!(error instanceof Error) || error instanceof Outage) return false
  const { code, name } = error as Error & { code?: unknown }
  if (name === 'AbortError') return false
  return typeof code !== 'string' || !passingCodes.test(code)
}

/** What an operator reads of a fault: a word to count it by, and a sentence. */
export function describeFault(error: unknown): { fault: string; reason: string } {
  // What the database says names another file each time.
  if (isDiskFull(error)) return { fault: 'disk_full', reason: 'There is no room on a disk of the database' }
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown }
  const word = typeof code === 'string' ? code : String(name)
  const fault = error instanceof ItemFault ? error.fault : error instanceof Outage ? outageCode(error) : word
  return {
    fault: /^[\w-]{1,40}$/.test(fault) ? fault : 'other',
    reason: String(message ?? error).slice(0, longestReason),
  }
}

const longestReason = 300

/** SQLSTATE classes: connection, transaction state, conflicts, resources, locks, the operator, the system. */
const passingCodes = /^(08|25|40|53|55|57|58)[0-9A-Z]{3}$/
