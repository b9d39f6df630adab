import type { Command } from '../command.ts'
import { openSluice } from '../settings.ts'
import { filterOptions, readFilters } from './filters.ts'

export const receiptExport: Command = {
  path: ['receipt', 'export'],
  summary: 'Prints as CSV all receipts that match the filters',
  options: filterOptions,
  examples: ['receipt export --status paid,reconciled > receipts.csv'],
  async run({ env, out, signal }, input) {
    const csv = await openSluice(env, input).receipts.exportCsv(readFilters(input), { signal })
    const reader = csv.getReader()
    // Keeps the byte order mark, which Excel needs.
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      await out.raw(decoder.decode(value, { stream: true }))
    }
  },
}
