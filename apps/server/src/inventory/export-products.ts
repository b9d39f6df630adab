import type { Wallet } from '@sluice/protocol/wallet.ts'
import { writeCell } from '../kernel/text/csv.ts'
import type { Database } from '../platform/database/database.ts'
import { csvColumns } from './csv-columns.ts'
import { listForExport } from './store.ts'

const batchSize = 1_000

/**
 * All products that are not archived as a CSV file, with every column an import takes: importing it gives the
 * same products again. A text that a spreadsheet would take for a formula has an apostrophe before it, which an
 * import takes off.
 */
export async function exportProducts(needs: { db: Database }, merchant: Wallet): Promise<string> {
  const lines = [csvColumns.map(({ name }) => name).join(',')]
  for (let after = ''; ; ) {
    const products = await listForExport(needs.db, merchant, after, batchSize)
    for (const product of products)
      lines.push(csvColumns.map(({ write }) => writeCell(write(product))).join(','))
    const last = products.at(-1)
    if (!last || products.length < batchSize) break
    after = last.id
  }
  return `${lines.join('\r\n')}\r\n`
}
