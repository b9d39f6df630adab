import type { Readable } from 'node:stream'
import type { SplitTransaction } from '@sluice/protocol/api/split.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type CsvField, streamCsv } from '../../kernel/text/csv.ts'
import type { Database } from '../../platform/database/database.ts'
import { listSplitTransactions } from './list-transactions.ts'

/** What reading the transactions of a split leans on. */
type Needs = {
  readonly db: Database
  readonly chain: { readonly id: number; readonly tokens: readonly Token[] }
}

/**
 * What went through the merchant's splits as a file of comma-separated values, newest first, read as it is taken.
 *
 * @throws {Refusal} `invalid_input` for what is no wallet.
 */
export function exportSplitTransactions(
  needs: Needs,
  merchant: Wallet,
  query: { readonly address?: string },
): Promise<Readable> {
  return streamCsv(columns, readPages(needs, merchant, query))
}

async function* readPages(
  needs: Needs,
  merchant: Wallet,
  query: { readonly address?: string },
): AsyncGenerator<SplitTransaction[], void, undefined> {
  for (let place = {}; ; ) {
    const page = await listSplitTransactions(needs, merchant, { ...query, ...place, limit: '200' })
    yield page.transactions
    if (page.nextCursor === null) return
    place = { cursor: page.nextCursor }
  }
}

const columns: readonly CsvField<SplitTransaction>[] = [
  ['id', ({ id }) => id],
  ['receiptId', ({ receiptId }) => receiptId],
  ['timestamp', ({ timestamp }) => timestamp],
  ['status', ({ status }) => status],
  ['currency', ({ currency }) => currency],
  ['amount', ({ amount }) => amount],
  ['amountRaw', ({ amountRaw }) => BigInt(amountRaw)],
  ['fees', ({ fees }) => fees],
  ['transactionHash', ({ transactionHash }) => transactionHash],
]
