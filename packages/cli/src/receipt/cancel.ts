import type { Command } from '../command.ts'
import { showTime } from '../output.ts'
import { openSluice } from '../settings.ts'

export const receiptCancel: Command = {
  path: ['receipt', 'cancel'],
  args: ['ID'],
  summary: 'Cancels an unpaid receipt and releases its stock',
  details: `The checkout closes and the status of the receipt does not change. The service still credits a payment that is
already on its way. A second cancellation changes nothing.`,
  async run({ env, out, signal }, input) {
    const [id = ''] = input.args
    const cancelled = await openSluice(env, input).receipts.cancel(id, { signal })
    out.result(cancelled, () =>
      out.fields([
        ['receipt', cancelled.id],
        ['status', cancelled.status],
        ['cancelled', showTime(cancelled.cancelledAt)],
      ]),
    )
  },
}
