import type { Database } from '../database/database.ts'
import { isDatastoreOutage } from '../database/degraded.ts'
import { statement } from '../database/statement.ts'
import { ItemFault } from './item-fault.ts'

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
