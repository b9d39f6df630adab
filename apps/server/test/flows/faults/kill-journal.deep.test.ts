import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { WriteJournal } from '../../../src/platform/journal/write-journal.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'

const script = fileURLToPath(new URL('./journal-child.ts', import.meta.url))
const needs = { clock: systemClock, random: systemRandom, log: makeLog('silent') }

async function promiseAndDie(
  mode: 'append' | 'rewrite',
  folder: string,
  count: number,
  word = '',
): Promise<string[]> {
  const child = spawn(process.execPath, [script, folder, mode], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk
    if (said.split('\n').length > count && chunk.includes(word)) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return said.trim().split('\n')
}

test('whenever a process is killed, the next one finds every promise it has acknowledged, in order', async () => {
  const folder = await makeTemporaryFolder('kill-journal')
  for (const count of [1, 7, 30, 90, 200]) {
    const last = Number((await promiseAndDie('append', folder.path, count)).at(-1)?.split(' ').at(-1))
    const journal = await WriteJournal.open(needs, folder.path)
    const found: number[] = []
    await journal.drainAll(
      async ({ payload }) => void found.push((payload as { n: number }).n),
      async () => false,
    )
    await journal.close()
    expect(found.length).toBeGreaterThan(last)
    expect(found).toEqual(found.map((_, i) => i))
  }
  await folder.remove()
})

test('whenever a process is killed that makes its journal anew, the next one finds every promise that was not kept, in order', async () => {
  for (const count of [30, 61, 95, 120, 148, 200, 333]) {
    const folder = await makeTemporaryFolder('kill-journal')
    const said = new Set(await promiseAndDie('rewrite', folder.path, count, 'done'))
    const journal = await WriteJournal.open(needs, folder.path)
    const found: Record<string, number[]> = { away: [], there: [] }
    await journal.drainAll(
      async ({ kind, payload }) => void found[kind]?.push((payload as { n: number }).n),
      async () => false,
    )
    await journal.close()
    const { away = [], there = [] } = found
    expect(away).toEqual(away.map((_, i) => i))
    const missing = [...said].filter((line) => {
      const [what, kind, n] = line.split(' ')
      if (what !== 'promised') return false
      return kind === 'away'
        ? !away.includes(Number(n))
        : !there.includes(Number(n)) && !said.has(`done ${kind} ${n}`)
    })
    expect(missing).toEqual([])
    expect(there).toEqual(there.toSorted((a, b) => a - b))
    await folder.remove()
  }
})
