import type { ListReceiptsQuery } from '@sluice/sdk/sluice.ts'
import type { Command } from '../command.ts'
import { showMoney, showTime } from '../output.ts'
import { readInteger, readMoney } from '../parse-arguments.ts'
import { openSluice } from '../settings.ts'

/** `receipt list` */
export const receiptList: Command = {
  path: ['receipt', 'list'],
  summary: 'Lists receipts, newest first or as --sort says',
  options: {
    status: { value: 'LIST', help: 'statuses, separated by commas' },
    from: { value: 'TIME', help: 'created at this time or later, Unix milliseconds' },
    to: { value: 'TIME', help: 'created before this time, Unix milliseconds' },
    search: {
      value: 'TEXT',
      help: 'id, transaction hash, e-mail address, reference or value of the metadata',
    },
    currency: { value: 'CODE', help: 'USD or EUR' },
    min: { value: 'AMOUNT', help: 'the smallest total, in the currency or in US dollars' },
    max: { value: 'AMOUNT', help: 'the largest total, in the currency or in US dollars' },
    sort: { value: 'ORDER', help: '-createdAt (default), createdAt, -amount or amount' },
    limit: { value: 'N', help: 'number of receipts, 1–200 (default 20)' },
    cursor: { value: 'TEXT', help: 'continue after the previous page' },
  },
  async run({ env, out, signal }, input) {
    const text = (name: string) => input.text(name)
    const amount = (name: string) => {
      const given = input.text(name)
      return given === undefined ? undefined : readMoney(given, `--${name}`)
    }
    const query = {
      status: text('status'),
      q: text('search'),
      currency: text('currency') as ListReceiptsQuery['currency'],
      sort: text('sort') as ListReceiptsQuery['sort'],
      from: readInteger(input, 'from', { min: 0, max: Number.MAX_SAFE_INTEGER }),
      to: readInteger(input, 'to', { min: 0, max: Number.MAX_SAFE_INTEGER }),
      min: amount('min'),
      max: amount('max'),
      limit: readInteger(input, 'limit', { min: 1, max: 200 }) ?? 20,
      cursor: text('cursor'),
    }
    const page = await openSluice(env, input).receipts.list(query, { signal })
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
    if (page.degraded) out.note('The datastore is unavailable: this is the last known state.')
    if (page.nextCursor && !out.isJson) out.note(`Next page: --cursor ${page.nextCursor}`)
  },
}
