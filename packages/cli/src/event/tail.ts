import type { Command } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { readInteger } from '../parse-arguments.ts'
import { openSluice } from '../settings.ts'
import { printEvent } from './print-event.ts'

export const eventTail: Command = {
  path: ['event', 'tail'],
  summary: 'Prints the last events of the feed and every new one, and verifies the hash chain',
  options: {
    last: { value: 'N', help: 'start with the last N events (default 10)' },
    after: { value: 'N', help: 'start after the event with this number instead' },
    'no-follow': { help: 'stop at the current end of the feed' },
  },
  details: 'Press Ctrl-C to stop. With --json: one event per line as in the feed, with its body parsed.',
  async run({ env, out, signal }, input) {
    const { events } = openSluice(env, input)
    const after = readInteger(input, 'after', { min: 0, max: 999_999_999_999_999 })
    const last = readInteger(input, 'last', { min: 0, max: 1_000_000 }) ?? 10
    const from = after ?? Math.max(0, (await events.list({ limit: 1 }, { signal })).body.last - last)
    const onGap = (gap: { from: number; to: number }) =>
      out.note(`Events ${gap.from} to ${gap.to} are no longer in the feed`)
    const until = input.has('no-follow') ? ('end' as const) : undefined
    try {
      for await (const entry of events.follow({ after: from, until, signal, onGap, pollMs: 1_000 }))
        printEvent(out, entry)
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return exitCodes.done
  },
}
