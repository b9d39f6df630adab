import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { WriteJournal } from '../../../src/platform/journal/write-journal.ts'
import { makeLog } from '../../../src/platform/log.ts'

/**
 * Appends to a journal until it is killed, and prints each durable record:
 * `node journal-child.ts <folder> <mode>`. `append` writes four records at a time. `rewrite` writes records
 * for two subjects. Records for `away` never succeed, while a replay causes constant rewrites of the journal.
 * `rewrite` also prints each completed record.
 */
const [, , folder = '', mode = 'append'] = process.argv
const needs = { clock: systemClock, random: systemRandom, log: makeLog('silent') }
const journal = await WriteJournal.open(needs, folder)
const padding = 'x'.repeat(200_000)

async function append(kind: string, n: number, length: number): Promise<void> {
  await journal.append(kind, { n, text: padding.slice(0, length) })
  process.stdout.write(`promised ${kind} ${n}\n`)
}

async function appendForEver(): Promise<never> {
  for (let n = 0; ; n += 4)
    await Promise.all([n, n + 1, n + 2, n + 3].map((each) => append('n', each, each % 5_000)))
}

async function appendToBoth(): Promise<never> {
  for (let n = 0; ; n++) await Promise.all([append('away', n, 5_000), append('there', n, padding.length)])
}

async function replayForEver(): Promise<never> {
  for (;;) {
    await journal.drainAll(
      async ({ kind, payload }) => {
        if (kind === 'away') throw new Error('not now')
        process.stdout.write(`done ${kind} ${(payload as { n: number }).n}\n`)
      },
      async () => true,
    )
    await new Promise(setImmediate)
  }
}

await (mode === 'append' ? appendForEver() : Promise.all([appendToBoth(), replayForEver()]))
