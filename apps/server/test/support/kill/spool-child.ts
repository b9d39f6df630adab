import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { Spool } from '../../../src/platform/spool/spool.ts'

/** Promises without end, and prints the number of each promise that is safe: to be killed. */
const [, , folder = ''] = process.argv
const spool = await Spool.open({ clock: systemClock, random: systemRandom, log: makeLog('silent') }, folder)
for (let n = 0; ; n += 4) {
  const batch = [n, n + 1, n + 2, n + 3]
  await Promise.all(batch.map((each) => spool.append('n', { n: each, padding: 'x'.repeat(each % 5_000) })))
  process.stdout.write(`${n + 3}\n`)
}
