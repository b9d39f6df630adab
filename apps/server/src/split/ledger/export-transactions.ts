import type { Readable } from 'node:stream'
import type { SplitTransaction } from '@sluice/protocol/api/split.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type CsvField, streamCsv } from '../../kernel/text/csv.ts'
import type { Database } from '../../platform/database/database.ts'
import { listSplitTransactions } from './list-transactions.ts'

type Needs = {
  readonly db: Database
  readonly chain: { readonly id: number; readonly tokens: readonly Token[] }
}

/**
 * Streams the splits' transactions as CSV, newest first.
 *
 * @throws {ApiError} `invalid_input` if `address` is not a wallet.
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
