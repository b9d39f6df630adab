import { Outage, outageCode } from '../../kernel/outage.ts'
import type { Database } from '../database/database.ts'
import { isDatastoreOutage, isDiskFull } from '../database/degraded.ts'
import { statement } from '../database/statement.ts'

export class ItemError extends Error {
  readonly kind: string

  /** @param kind - Short word from a small set: metrics use it as a label. */
  constructor(kind: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ItemFault'
    this.kind = kind
  }
}

/**
 * Returns whether the item itself caused an error: invalid data, a broken rule or a defect.
 *
 * Outages, timeouts and transaction conflicts say nothing about an item. A full disk counts as the item's
 * error, because it may be only the disk of its merchant's node. If all disks are full, deferring the item
 * fails too.
 */
export function isItemError(error: unknown): boolean {
  if (isDiskFull(error)) return true
  if (!(error instanceof Error) || error instanceof Outage) return false
  const { code, name } = error as Error & { code?: unknown }
  if (name === 'AbortError') return false
  return typeof code !== 'string' || !passingCodes.test(code)
}

export function describeError(error: unknown): { kind: string; reason: string } {
  // PostgreSQL names a different file each time.
  if (isDiskFull(error)) return { kind: 'disk_full', reason: 'A disk of the database is full' }
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown }
  const word = typeof code === 'string' ? code : String(name)
  const kind = error instanceof ItemError ? error.kind : error instanceof Outage ? outageCode(error) : word
  return {
    kind: /^[\w-]{1,40}$/.test(kind) ? kind : 'other',
    reason: String(message ?? error).slice(0, longestReason),
  }
}

const longestReason = 300

/**
 * SQLSTATE classes: connection, transaction state, conflicts, resources, locks, operator and system errors.
 */
const passingCodes = /^(08|25|40|53|55|57|58)[0-9A-Z]{3}$/

const responseLimitMs = 2_000

/**
 * Returns the error of an item whose own work timed out in a responsive database, otherwise `undefined`.
 *
 * Such an item would otherwise end its job in every round, before all later items. Checks first that no
 * database node is away, because that also causes a statement timeout.
 */
export async function findOwnTimeout(db: Database, error: unknown): Promise<ItemError | undefined> {
  if (!isDatastoreOutage(error)) return undefined
  const { cause, message } = error as Error
  const code = (cause as { code?: unknown } | undefined)?.code
  if (code !== '57014' && code !== '25P03') return undefined
  try {
    await db.run(response())
  } catch {
    return undefined
  }
  return new ItemError('took_too_long', `the database cancelled the statement: ${message}`, { cause: error })
}

const response = statement({ name: 'ask-for-an-answer', limitMs: responseLimitMs, text: 'SELECT 1' })
