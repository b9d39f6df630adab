import type { Wallet } from '@sluice/protocol/wallet.ts'
import { byteOrderMark, writeCell } from '../kernel/text/csv.ts'
import { nextTurn } from '../kernel/turns/lane.ts'
import type { Database } from '../platform/database/database.ts'
import { csvColumns, csvFileLimits } from './csv-columns.ts'
import { listForExport } from './store.ts'

const batchSize = 1_000

/** A file of products, and the id of its last one if there are more. */
export type ProductFile = { readonly csv: string; readonly nextCursor: string | undefined }

/**
 * Returns the products that are not archived as a CSV file, with every column an import takes: importing it gives
 * the same products again. A text that a spreadsheet would take for a formula has an apostrophe before it, which an
 * import takes off.
 *
 * A file is never larger than an import takes: what does not fit is in the next one.
 *
 * @param after - `nextCursor` of the file before.
 */
export async function exportProducts(
  needs: { db: Database },
  merchant: Wallet,
  after = '',
): Promise<ProductFile> {
  const header = `${byteOrderMark}${csvColumns.map(({ name }) => name).join(',')}\r\n`
  const lines = [header]
  const file = (nextCursor?: string) => ({ csv: lines.join(''), nextCursor })
  let room = csvFileLimits.bytes - Buffer.byteLength(header)
  let last = after
  for (;;) {
    const products = await listForExport(needs.db, merchant, last, batchSize)
    for (const product of products) {
      const line = `${csvColumns.map(({ write }) => writeCell(write(product))).join(',')}\r\n`
      room -= Buffer.byteLength(line)
      if (room < 0 || lines.length > csvFileLimits.products) return file(last)
      lines.push(line)
      last = product.id
    }
    if (products.length < batchSize) return file()
    await nextTurn()
  }
}
