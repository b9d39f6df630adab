import type { Command } from '../command.ts'
import { showMoney, showTime } from '../output.ts'
import { readInteger } from '../parse-arguments.ts'
import { openSluice } from '../settings.ts'
import { filterOptions, readFilters } from './filters.ts'

export const receiptList: Command = {
  path: ['receipt', 'list'],
  summary: 'Lists receipts, newest first unless --sort is set',
  options: {
    ...filterOptions,
    limit: { value: 'N', help: 'number of receipts, 1–200 (default 20)' },
    cursor: { value: 'TEXT', help: 'continue after the previous page' },
  },
  async run({ env, out, signal }, input) {
    const query = {
      ...readFilters(input),
      limit: readInteger(input, 'limit', { min: 1, max: 200 }) ?? 20,
      cursor: input.text('cursor'),
    }
    const page = await openSluice(env, input).receipts.list(query, { signal })
    out.result(page.body, () =>
      out.table(
        ['created', 'receipt', 'total', 'status'],
        page.data.map((receipt) => [
          showTime(receipt.createdAt),
          receipt.receiptId,
          showMoney(receipt.total ?? receipt.totalUsd, receipt.currency),
          receipt.status,
        ]),
        'There are no receipts yet.',
      ),
    )
    if (page.body.degraded) out.note('The datastore is unavailable: this is the last known state.')
    if (page.nextCursor && !out.isJson) out.note(`Next page: --cursor ${page.nextCursor}`)
  },
}
