import type { Cents, RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { Database } from '../../platform/database/database.ts'
import { type Attempt, hotForMs, watchForMs } from './attempt.ts'

/** Stores a new attempt together with what the watcher looks for. */
export async function insertAttempt(tx: Database, attempt: Attempt): Promise<void> {
  const { token, quote } = attempt
  await tx.run(insert, [
    attempt.merchant,
    attempt.id,
    attempt.receiptId,
    attempt.chain,
    token.symbol,
    token.address,
    attempt.totalCents,
    attempt.dueCents,
    attempt.amount,
    attempt.rate,
    JSON.stringify({
      ...quote,
      inputs: quote.inputs.map((input) => ({ ...input, usdPerUnit: input.usdPerUnit.toString() })),
    }),
    attempt.reference,
    attempt.depositAddress,
    attempt.splitAddress,
    attempt.splitVersion,
    attempt.payer ?? null,
    attempt.openedBlock,
    attempt.createdAt,
    attempt.expiresAt,
    attempt.expiresAt + hotForMs,
    attempt.expiresAt + watchForMs,
    attempt.factory ?? null,
    attempt.askedAt ?? null,
  ])
}

/** The attempts of a receipt, oldest first. */
export async function listAttempts(db: Database, merchant: Wallet, receiptId: ReceiptId): Promise<Attempt[]> {
  const rows = await db.rows<AttemptRow>(list, [merchant, receiptId])
  return rows.map(fromRow)
}

/** Notes that a buyer asked for an attempt; the first time stays. */
export async function markAsked(tx: Database, attempt: Attempt, at: UnixMs): Promise<void> {
  await tx.run(mark, [attempt.merchant, attempt.id, at])
}

/** Ends attempts: they are no longer offered, but stay watched, and what they bring still counts. */
export async function closeAttempts(
  tx: Database,
  attempts: readonly Attempt[],
  closedAt: UnixMs,
): Promise<void> {
  const [first] = attempts
  if (!first) return
  const ids = attempts.map(({ id }) => id)
  await tx.run(close, [first.merchant, ids, closedAt])
  await tx.run(closeTargets, [first.chain, attempts.map(({ depositAddress }) => depositAddress)])
}

/** The token a row names: pinned here, whatever the configuration says by now. */
export function tokenOf(symbol: string, address: string): Token {
  const kind = tokenKinds.find((each) => each.symbol === symbol)
  assert(kind, 'a token is never removed from the list')
  return { ...kind, address: address as Wallet }
}

type AttemptRow = {
  merchant: string
  id: string
  receipt_id: string
  chain: bigint
  token: string
  token_address: string
  total_cents: bigint
  due_cents: bigint
  amount: bigint
  rate_e8: bigint
  quote: {
    quotedAt: number
    provider: string
    inputs: { source: string; usdPerUnit: string; quotedAt: number }[]
  }
  reference: string
  deposit_address: string
  split_address: string
  split_version: bigint
  payer: string | null
  opened_block: bigint
  created_at: bigint
  expires_at: bigint
  asked_at: bigint | null
  closed_at: bigint | null
}

function fromRow(row: AttemptRow): Attempt {
  return {
    merchant: row.merchant as Wallet,
    id: row.id,
    receiptId: row.receipt_id as ReceiptId,
    chain: Number(row.chain),
    token: tokenOf(row.token, row.token_address),
    totalCents: row.total_cents as Cents,
    dueCents: row.due_cents as Cents,
    amount: row.amount as TokenUnits,
    rate: row.rate_e8 as RateE8,
    quote: {
      quotedAt: row.quote.quotedAt as UnixMs,
      provider: row.quote.provider,
      inputs: row.quote.inputs.map((input) => ({
        source: input.source,
        usdPerUnit: BigInt(input.usdPerUnit) as RateE8,
        quotedAt: input.quotedAt as UnixMs,
      })),
    },
    reference: row.reference as Hex,
    depositAddress: row.deposit_address as Wallet,
    splitAddress: row.split_address as Wallet,
    splitVersion: row.split_version,
    payer: (row.payer ?? undefined) as Wallet | undefined,
    openedBlock: row.opened_block,
    createdAt: Number(row.created_at) as UnixMs,
    expiresAt: Number(row.expires_at) as UnixMs,
    askedAt: row.asked_at === null ? undefined : (Number(row.asked_at) as UnixMs),
    closedAt: row.closed_at === null ? undefined : (Number(row.closed_at) as UnixMs),
  }
}

const insert = {
  name: 'insert-attempt',
  text: `WITH made AS (
      INSERT INTO attempt (merchant, id, receipt_id, chain, token, token_address, total_cents, due_cents, amount,
        rate_e8, quote, reference, deposit_address, split_address, split_version, payer, opened_block, created_at,
        expires_at, watch_until, factory, asked_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $21, $22, $23))
    INSERT INTO attempt_target (chain, deposit_address, reference, token_address, merchant, attempt_id, receipt_id,
      split_address, is_open, expires_at, hot_until, watch_until)
    VALUES ($4, $13, $12, $6, $1, $2, $3, $14, true, $19, $20, $21)`,
}

const list = {
  name: 'list-attempts',
  text: `SELECT merchant, id, receipt_id, chain, token, token_address, total_cents, due_cents, amount, rate_e8, quote,
      reference, deposit_address, split_address, split_version, payer, opened_block, created_at, expires_at, asked_at,
      closed_at
    FROM attempt WHERE merchant = $1 AND receipt_id = $2 ORDER BY created_at, id`,
}

const mark = {
  name: 'mark-attempt-asked',
  text: 'UPDATE attempt SET asked_at = $3 WHERE merchant = $1 AND id = $2 AND asked_at IS NULL',
}

const close = {
  name: 'close-attempts',
  text: `UPDATE attempt SET closed_at = $3 WHERE merchant = $1 AND id = ANY($2) AND closed_at IS NULL`,
}

const closeTargets = {
  name: 'close-attempt-targets',
  text: `UPDATE attempt_target SET is_open = false WHERE chain = $1 AND deposit_address = ANY($2) AND is_open`,
}
