import type { Command } from '../command.ts'
import { showMoney, showTime } from '../output.ts'
import { readInteger } from '../parse-arguments.ts'
import { openSluice } from '../settings.ts'

/** `receipt list` */
export const receiptList: Command = {
  path: ['receipt', 'list'],
  summary: 'Lists receipts, newest first',
  options: {
    limit: { value: 'N', help: 'how many, 1–200 (default 20)' },
    cursor: { value: 'TEXT', help: 'goes on where the list before ended' },
  },
  async run({ env, out, signal }, input) {
    const limit = readInteger(input, 'limit', { min: 1, max: 200 }) ?? 20
    const page = await openSluice(env, input).receipts.list(
      { limit, cursor: input.text('cursor') },
      { signal },
    )
    out.result(page, () =>
      out.table(
        ['made', 'receipt', 'total', 'status'],
        page.receipts.map((receipt) => [
          showTime(receipt.createdAt),
          receipt.receiptId,
          showMoney(receipt.total ?? receipt.totalUsd, receipt.currency),
          receipt.status,
        ]),
        'There are no receipts yet.',
      ),
    )
    if (page.degraded) out.note('The datastore is away: this is what was last known.')
    if (page.nextCursor && !out.isJson) out.note(`There are more: --cursor ${page.nextCursor}`)
  },
}
