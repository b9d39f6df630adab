import type { Command } from '../command.ts'
import { showTime } from '../output.ts'
import { openSluice } from '../settings.ts'

export const receiptTimeline: Command = {
  path: ['receipt', 'timeline'],
  args: ['ID'],
  summary: 'Shows every event of a receipt, with each attempt to deliver its webhooks',
  async run({ env, out, signal }, input) {
    const [id = ''] = input.args
    const timeline = await openSluice(env, input).receipts.getTimeline(id, { signal })
    out.result(timeline, () =>
      out.table(
        ['when', 'what', 'from', 'to'],
        timeline.entries.map(({ at, kind, fromStatus, toStatus }) => [
          showTime(at),
          kind,
          fromStatus ?? '',
          toStatus ?? '',
        ]),
        'no history yet',
      ),
    )
    if (timeline.omitted > 0) out.note(`${timeline.omitted} entries in the middle are omitted`)
  },
}
