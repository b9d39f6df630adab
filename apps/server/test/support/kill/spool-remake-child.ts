import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { Spool } from '../../../src/platform/spool/spool.ts'

/**
 * Promises without end of two subjects, of which one is never done, and has the journal made anew all the time; prints
 * each promise that is safe, and each that is done: to be killed.
 */
const [, , folder = ''] = process.argv
const needs = { clock: systemClock, random: systemRandom, log: makeLog('silent') }
const spool = await Spool.open(needs, folder, ({ kind }) => kind)
const padding = 'x'.repeat(200_000)

async function promise(kind: 'away' | 'there', n: number, text: string): Promise<void> {
  await spool.append(kind, { n, text })
  process.stdout.write(`promised ${kind} ${n}\n`)
}

async function promiseWithoutEnd(): Promise<never> {
  for (let n = 0; ; n++)
    await Promise.all([promise('away', n, padding.slice(0, 5_000)), promise('there', n, padding)])
}

async function replayWithoutEnd(): Promise<never> {
  for (;;) {
    await spool.replay(
      async ({ kind, payload }) => {
        if (kind === 'away') throw new Error('not now')
        process.stdout.write(`done ${kind} ${(payload as { n: number }).n}\n`)
      },
      async () => 'go-on',
    )
    await new Promise(setImmediate)
  }
}

await Promise.all([promiseWithoutEnd(), replayWithoutEnd()])
