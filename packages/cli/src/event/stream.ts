import type { Command } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { readInteger } from '../parse-arguments.ts'
import { openSluice } from '../settings.ts'
import { printEvent } from './print-event.ts'

export const eventStream: Command = {
  path: ['event', 'stream'],
  summary: 'Prints each event within a second of its creation, over one open connection',
  options: {
    after: { value: 'N', help: 'start after the event with this number (default: from now on)' },
    count: { value: 'N', help: 'stop after this many events' },
  },
  details:
    'Press Ctrl-C to stop. Reconnects automatically, loses no event, and verifies the hash chain. With --json: one event per line.',
  async run({ env, out, signal }, input) {
    const { events } = openSluice(env, input)
    const after = readInteger(input, 'after', { min: 0, max: 999_999_999_999_999 })
    let left = readInteger(input, 'count', { min: 1, max: 1_000_000 }) ?? Number.POSITIVE_INFINITY
    try {
      for await (const entry of events.stream({ after, signal })) {
        printEvent(out, entry)
        left -= 1
        if (left === 0) break
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return exitCodes.done
  },
}
