import type { Command } from '../command.ts'
import { showMoney, showTime } from '../output.ts'
import { openSluice } from '../settings.ts'
import { showStatus } from './show-status.ts'

export const receiptGet: Command = {
  path: ['receipt', 'get'],
  args: ['ID'],
  summary: 'Shows a receipt with its payment and history',
  async run({ env, out, signal }, input) {
    const [id = ''] = input.args
    const receipt = await openSluice(env, input).receipts.get(id, { signal })
    out.result(receipt, () => {
      const { payment } = receipt
      out.fields([
        ['receipt', receipt.receiptId],
        ['status', receipt.status],
        ['total', showMoney(receipt.total ?? receipt.totalUsd, receipt.currency)],
        ['to pay', showMoney(receipt.customerTotalUsd, 'USD')],
        [
          'payment',
          payment.token
            ? `${payment.state}, ${payment.received} of ${payment.due} ${payment.token}`
            : payment.state,
        ],
        ['transaction', receipt.transactionHash ?? '–'],
        ['created', showTime(receipt.createdAt)],
      ])
      out.line()
      out.table(
        ['line', 'USD', 'qty'],
        receipt.lineItems.map((line) => [line.label, line.priceUsd.toFixed(2), String(line.qty ?? '')]),
        'no lines',
      )
      out.line()
      out.table(
        ['when', 'what', 'status'],
        receipt.timeline.map(({ at, kind, toStatus }) => [showTime(at), kind, toStatus ?? '']),
        'no history yet',
      )
      out.line()
      out.line(showStatus(out, receipt.status))
    })
  },
}
