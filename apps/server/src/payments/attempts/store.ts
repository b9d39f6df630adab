import type { RateE8 } from '@sluice/protocol/money.ts'
import { describeToken } from '@sluice/protocol/networks/describe-token.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import {
  count,
  int8,
  json,
  named,
  numeric,
  optional,
  type Part,
  text,
  through,
  time,
} from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, placesOf, table } from '../../platform/database/table.ts'
import type { RateInput } from '../../pricing/rates/rate.ts'
import { type Attempt, hotForMs, type Quote, watchForMs } from './attempt.ts'

/**
 * Stores a new attempt and its watcher target.
 *
 * @returns `false`, with nothing stored, if another attempt already has the reference.
 */
export async function insertAttempt(tx: Database, attempt: Attempt): Promise<boolean> {
  const { expiresAt } = attempt
  const stored = { ...attempt, hotUntil: expiresAt + hotForMs, watchUntil: expiresAt + watchForMs }
  if ((await tx.run(insertTarget(stored))) === 0) return false
  await tx.run(insert(stored))
  return true
}

export async function listAttempts(db: Database, merchant: Wallet, receiptId: ReceiptId): Promise<Attempt[]> {
  return db.rows(list({ merchant, receiptId }))
}

export async function markAsked(tx: Database, attempt: Attempt, at: UnixMs): Promise<void> {
  await tx.run(mark({ merchant: attempt.merchant, id: attempt.id, at }))
}

/** Closes offers. The offers stay watched, and their payments still count. */
export async function closeAttempts(
  tx: Database,
  attempts: readonly Attempt[],
  closedAt: UnixMs,
): Promise<void> {
  const [first] = attempts
  if (!first) return
  const ids = attempts.map(({ id }) => id)
  await tx.run(close({ merchant: first.merchant, ids, closedAt }))
  await tx.run(closeTargets({ chain: first.chain, each: attempts }))
}

function tokenOf(symbol: string, address: string): Token {
  const kind = tokenKinds.find((each) => each.symbol === symbol)
  assert(kind, 'a token is never removed from the list')
  return describeToken(kind, address as Wallet)
}

type StoredQuote = Pick<Quote, 'quotedAt' | 'provider'> & {
  readonly inputs: readonly (Omit<RateInput, 'usdPerUnit'> & { readonly usdPerUnit: string })[]
}

export const storedToken: Part<Token> = through(
  { symbol: named('token', text()), address: named('token_address', text()) },
  ({ symbol, address }) => tokenOf(symbol, address),
)

const attemptTable = table<Attempt>('attempt', {
  merchant: text(),
  id: text(),
  receiptId: text(),
  chain: count(),
  token: storedToken,
  totalCents: int8(),
  dueCents: int8(),
  amount: numeric(),
  rate: named('rate_e8', numeric()),
  quote: json({ read: readQuote, write: writeQuote }),
  reference: text(),
  number: optional(int8()),
  depositAddress: text(),
  factory: text(),
  splitAddress: text(),
  splitVersion: int8(),
  payer: optional(text()),
  provider: optional(text()),
  openedBlock: int8(),
  createdAt: time(),
  expiresAt: time(),
  askedAt: optional(time()),
  closedAt: optional(time()),
})

function writeQuote({ inputs, ...quote }: Quote): StoredQuote {
  return { ...quote, inputs: inputs.map((input) => ({ ...input, usdPerUnit: input.usdPerUnit.toString() })) }
}

function readQuote({ inputs, ...quote }: StoredQuote): Quote {
  const read = inputs.map((input) => ({ ...input, usdPerUnit: BigInt(input.usdPerUnit) as RateE8 }))
  return { ...quote, inputs: read }
}

const insert = statement({
  name: 'insert-attempt',
  text: `INSERT INTO attempt (watch_until, ${columnsOf(attemptTable)})
    VALUES (:watchUntil, ${placesOf(attemptTable)})`,
  writes: attemptTable,
})

const insertTarget = statement({
  name: 'insert-attempt-target',
  text: `INSERT INTO attempt_target (chain, deposit_address, reference, token_address, merchant, attempt_id, receipt_id,
      split_address, is_open, expires_at, hot_until, watch_until)
    VALUES (:chain, :depositAddress, :reference, :token.address, :merchant, :id, :receiptId, :splitAddress, true,
      :expiresAt, :hotUntil, :watchUntil)
    ON CONFLICT DO NOTHING`,
})

const list = statement({
  name: 'list-attempts',
  text: `SELECT ${columnsOf(attemptTable)}
    FROM attempt WHERE merchant = :merchant AND receipt_id = :receiptId ORDER BY created_at, id`,
  reads: attemptTable,
})

const mark = statement({
  name: 'mark-attempt-asked',
  text: 'UPDATE attempt SET asked_at = :at WHERE merchant = :merchant AND id = :id AND asked_at IS NULL',
})

const close = statement({
  name: 'close-attempts',
  text: `UPDATE attempt SET closed_at = :closedAt WHERE merchant = :merchant AND id = ANY(:ids) AND closed_at IS NULL`,
})

const closeTargets = statement({
  name: 'close-attempt-targets',
  text: `UPDATE attempt_target SET is_open = false WHERE chain = :chain
    AND deposit_address = ANY(:each.depositAddress) AND is_open`,
})

/** Closes all offers of a receipt. The caller must hold the receipt's lock. */
export async function closeOffers(
  { tx, clock }: { tx: Database; clock: Clock },
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<void> {
  const attempts = await listAttempts(tx, merchant, receiptId)
  const standing = attempts.filter(({ closedAt }) => closedAt === undefined)
  await closeAttempts(tx, standing, clock.now())
}
