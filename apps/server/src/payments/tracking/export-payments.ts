import type { Readable } from 'node:stream'
import type { ExportPaymentsQuery } from '@sluice/protocol/api/receipts/filters.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { type CsvField, isoTime, streamCsv } from '../../kernel/text/csv.ts'
import {
  count,
  int8,
  named,
  numeric,
  optional,
  type Parts,
  text,
  time,
} from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { parseFilter } from '../../receipts/finding/receipt-filter.ts'
import { storedToken } from '../attempts/store.ts'

const paymentsAtOnce = 500

/**
 * Streams all payments of the merchant's receipts as CSV, in chain order.
 *
 * @throws {ApiError} `invalid_input`.
 */
export function exportPayments(
  needs: { db: Database; chain: { readonly id: number } },
  merchant: Wallet,
  query: ExportPaymentsQuery,
): Promise<Readable> {
  const { from, to } = parseFilter(query)
  return streamCsv(columns, readPages(needs, merchant, { from, to }))
}

type Row = {
  readonly receiptId: string
  readonly kind: string
  readonly state: string
  readonly token: Token
  readonly units: bigint
  readonly payer: Wallet | undefined
  readonly address: string
  readonly txHash: Hex
  readonly logIndex: number
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly at: UnixMs
  readonly rate: bigint
  readonly creditedAt: UnixMs | undefined
  readonly sweptTx: string | undefined
}

async function* readPages(
  { db, chain }: { db: Database; chain: { readonly id: number } },
  merchant: Wallet,
  range: { readonly from: UnixMs; readonly to: UnixMs },
): AsyncGenerator<Row[], void, undefined> {
  let after: Pick<Row, 'blockNumber' | 'logIndex' | 'txHash' | 'address'> = {
    blockNumber: -1n,
    logIndex: -1,
    txHash: '' as Hex,
    address: '',
  }
  for (;;) {
    const page = await db.rows(list({ merchant, chain: chain.id, ...range, after, limit: paymentsAtOnce }))
    yield page
    const last = page.at(-1)
    if (!last || page.length < paymentsAtOnce) return
    after = last
  }
}

const columns: readonly CsvField<Row>[] = [
  ['receiptId', ({ receiptId }) => receiptId],
  ['at', ({ at }) => isoTime(at)],
  ['state', ({ state }) => state],
  ['kind', ({ kind }) => kind],
  ['token', ({ token }) => token.symbol],
  ['amount', ({ units, token }) => formatUnits(units, token.decimals)],
  ['amountRaw', ({ units }) => units],
  ['usdPerUnit', ({ rate }) => formatUnits(rate, 8)],
  ['payer', ({ payer }) => payer],
  ['depositAddress', ({ address }) => address || undefined],
  // A native transfer without a transaction is keyed by the block hash.
  ['transactionHash', ({ txHash, blockHash }) => (txHash === blockHash ? undefined : txHash)],
  ['blockNumber', ({ blockNumber }) => blockNumber],
  ['creditedAt', ({ creditedAt }) => isoTime(creditedAt)],
  ['sweepTransactionHash', ({ sweptTx }) => (sweptTx?.startsWith('0x') ? sweptTx : undefined)],
]

const stored: Parts<Row> = {
  receiptId: text(),
  kind: text(),
  state: text(),
  token: storedToken,
  units: named('amount', numeric()),
  payer: optional(text()),
  address: text(),
  txHash: text(),
  logIndex: count(),
  blockNumber: int8(),
  blockHash: text(),
  at: named('block_at', time()),
  rate: named('rate_e8', numeric()),
  creditedAt: optional(time()),
  sweptTx: optional(text()),
}

const list = statement({
  name: 'list-payments-to-export',
  reads: stored,
  text: `SELECT receipt_id, kind, state, token, token_address, amount, payer, address, tx_hash, log_index, block_number,
      block_hash, block_at, rate_e8, credited_at, swept_tx
    FROM payment WHERE merchant = :merchant AND chain = :chain
      AND (block_number, log_index, tx_hash, address)
        > (:after.blockNumber::int8, :after.logIndex::int8, :after.txHash::text, :after.address::text)
      AND block_at >= :from AND block_at < :to
    ORDER BY block_number, log_index, tx_hash, address LIMIT :limit`,
})
