import { Outage, outageCode } from '../../kernel/outage.ts'
import type { Database } from '../database/database.ts'
import { isDatastoreOutage, isDiskFull } from '../database/degraded.ts'
import { statement } from '../database/statement.ts'

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

/** For a database that is there to say so. */
const answerLimitMs = 2_000

/**
 * The fault of an item whose own work took the database too long, a statement or the silence within a transaction;
 * `undefined` where the database is away, or what befell the item is something else. Who makes an item so large would
 * otherwise have its job end with it in every round, before all the others behind it.
 *
 * Ask first whether a machine of the database is away: that shows as a statement that takes too long, too.
 */
export async function findOwnTimeout(db: Database, error: unknown): Promise<ItemFault | undefined> {
  if (!isDatastoreOutage(error)) return undefined
  const { cause, message } = error as Error
  const code = (cause as { code?: unknown } | undefined)?.code
  if (code !== '57014' && code !== '25P03') return undefined
  try {
    await db.run(answer())
  } catch {
    // The outage is what the caller has already.
    return undefined
  }
  return new ItemFault('took_too_long', `the database ended its work: ${message}`, { cause: error })
}

const answer = statement({ name: 'ask-for-an-answer', limitMs: answerLimitMs, text: 'SELECT 1' })
