import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { findKnownRate } from '../../pricing/rates/find-rate.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import { worthOfUnits } from '../ledger/judge-payment.ts'
import type { StoredUnmatched } from '../ledger/unmatched-store.ts'

/** What suggesting leans on. */
export type SuggestionNeeds = {
  readonly db: Database
  readonly chain: { readonly tokens: readonly Token[] }
  readonly rates: RateBook
}

/** A receipt of before a database was lost is posted again about when its payment is found. */
const aroundMs = 7 * 86_400_000

/**
 * The receipt that money from a lost time was meant for, as far as the amount says it: the only one of the last days that
 * is unpaid and asks for as much, to the cent in a stablecoin, within one percent in other tokens.
 */
export async function findSuggestion(
  { db, chain, rates }: SuggestionNeeds,
  { merchant, state, reason, tokenAddress, amount, block }: StoredUnmatched,
): Promise<ReceiptId | undefined> {
  const token = chain.tokens.find(({ address }) => address === tokenAddress)
  const rate = token && findKnownRate({ rates }, token.symbol)
  if (state !== 'open' || reason !== 'unknown-deposit' || !rate) return undefined
  const cents = worthOfUnits(amount as TokenUnits, { token, rate: rate.usdPerUnit })
  const band = token.isStablecoin ? 0n : cents / 100n
  const asked = { merchant, least: cents - band, most: cents + band, since: block.at - aroundMs }
  const [found, ...others] = await db.rows(list(asked))
  return others.length === 0 ? found?.id : undefined
}

const list = statement({
  name: 'list-receipts-of-amount',
  reads: { id: text<ReceiptId>() },
  text: `SELECT id FROM receipt WHERE merchant = :merchant AND created_at > :since
      AND standing IN ('generated', 'pending', 'failed') AND total_cents + fee_cents BETWEEN :least AND :most
    ORDER BY created_at DESC, id DESC LIMIT 2`,
})
