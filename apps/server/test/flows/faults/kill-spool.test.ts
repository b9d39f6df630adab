import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { Spool } from '../../../src/platform/spool/spool.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'

const script = fileURLToPath(new URL('../../support/kill/spool-child.ts', import.meta.url))
const needs = { clock: systemClock, random: systemRandom, log: makeLog('silent') }

/** Lets a process promise until it has said so `count` times, kills it and gives the last number it said. */
async function promiseAndDie(folder: string, count: number): Promise<number> {
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk
    if (said.split('\n').length > count) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return Number(said.trim().split('\n').at(-1))
}

test('whenever a process is killed, the next one finds every promise it has acknowledged, in order', async () => {
  const folder = await makeTemporaryFolder('kill-spool')
  for (const count of [1, 7, 30, 90, 200]) {
    const last = await promiseAndDie(folder.path, count)
    const spool = await Spool.open(needs, folder.path)
    const found: number[] = []
    await spool.replay(async ({ payload }) => void found.push((payload as { n: number }).n))
    await spool.close()
    expect(found.length).toBeGreaterThan(last)
    expect(found).toEqual(found.map((_, i) => i))
  }
  await folder.remove()
})
