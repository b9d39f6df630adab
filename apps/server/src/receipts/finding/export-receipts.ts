import type { Readable } from 'node:stream'
import type { ExportReceiptsQuery } from '@sluice/protocol/api/receipts/filters.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import { maxPageBytes } from '../../kernel/page.ts'
import { type CsvField, isoTime, streamCsv } from '../../kernel/text/csv.ts'
import { customerTotalCents, type Receipt } from '../receipt.ts'
import { findReceipts } from '../store.ts'
import { type FindingNeeds, findPlaces, type ReceiptList } from './find-places.ts'
import { parseFilter, parseOrder, type ReceiptPlace } from './receipt-filter.ts'

const receiptsAtOnce = 200

/**
 * Returns a CSV stream of the receipts that match a query.
 *
 * @throws {ApiError} `invalid_input`.
 */
export function exportReceipts(
  needs: FindingNeeds,
  merchant: Wallet,
  query: ExportReceiptsQuery,
): Promise<Readable> {
  const list = { filter: parseFilter(query), order: parseOrder(query) }
  return streamCsv(columns, readPages(needs, merchant, list))
}

async function* readPages(
  needs: FindingNeeds,
  merchant: Wallet,
  list: ReceiptList,
): AsyncGenerator<Receipt[], void, undefined> {
  for (let after: ReceiptPlace | undefined; ; ) {
    const places = await findPlaces(needs, merchant, list, { after, count: receiptsAtOnce })
    for (let rest = places.map(({ id }) => id); rest.length > 0; ) {
      const page = await findReceipts(needs.db, merchant, rest, maxPageBytes)
      assert(page.length > 0, 'a receipt is never deleted')
      yield page
      rest = rest.slice(page.length)
    }
    after = places.at(-1)
    if (places.length < receiptsAtOnce) return
  }
}

const columns: readonly CsvField<Receipt>[] = [
  ['receiptId', ({ id }) => id],
  ['status', ({ status }) => status],
  ['createdAt', ({ createdAt }) => isoTime(createdAt)],
  ['currency', ({ currency }) => currency],
  ['total', ({ nativeTotalCents, totalCents }) => plain(nativeTotalCents ?? totalCents)],
  ['totalUsd', ({ totalCents }) => plain(totalCents)],
  ['feeUsd', ({ feeCents }) => plain(feeCents)],
  ['customerTotalUsd', (receipt) => plain(customerTotalCents(receipt))],
  ['refundedUsd', ({ refundedCents }) => plain(refundedCents)],
  ['paidAt', ({ transactionAt }) => isoTime(transactionAt)],
  ['token', ({ token }) => token],
  ['transactionHash', ({ transactionHash }) => transactionHash],
  ['buyerWallet', ({ buyerWallet }) => buyerWallet],
  ['email', ({ billing, providerEmail }) => billing?.email ?? providerEmail],
  ['transactionId', ({ transactionId }) => transactionId],
  ['jurisdictionCode', ({ tax }) => tax?.jurisdictionCode],
  ['taxRate', ({ tax }) => tax?.taxRate],
  ['brandName', ({ brandName }) => brandName],
  ['expiresAt', ({ expiresAt }) => isoTime(expiresAt)],
  ['cancelledAt', ({ cancelledAt }) => isoTime(cancelledAt)],
  ['metadata', ({ metadata }) => metadata && JSON.stringify(metadata)],
]

/**
 * Returns a number, because the CSV writer would prefix a text that starts with a minus sign with an
 * apostrophe.
 */
function plain(cents: bigint): number {
  return Number(formatUnits(cents, 2))
}
