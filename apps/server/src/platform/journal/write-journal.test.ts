import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/programs/temporary-folder.ts'
import { systemClock } from '../../kernel/clock.ts'
import { systemRandom } from '../../kernel/random.ts'
import { DatastoreAway } from '../database/degraded.ts'
import { makeLog } from '../log.ts'
import { type JournalRecord, WriteJournal } from './write-journal.ts'

const needs = { clock: systemClock, random: systemRandom, log: makeLog('silent') }

async function makeFolder(): Promise<string> {
  const folder = await makeTemporaryFolder('journal')
  onTestFinished(() => folder.remove())
  return folder.path
}

async function rethrow(error: unknown): Promise<never> {
  throw error
}

async function applyAll(journal: WriteJournal): Promise<unknown[]> {
  const seen: unknown[] = []
  await journal.drainAll(async (record) => void seen.push(record.payload), rethrow)
  return seen
}

test('what was promised is done in its order, and then no more', async () => {
  const journal = await WriteJournal.open(needs, await makeFolder())
  for (let n = 0; n < 5; n++) await journal.append('count', { n })
  expect(await applyAll(journal)).toEqual([0, 1, 2, 3, 4].map((n) => ({ n })))
  expect(journal.pendingCount).toBe(0)
  expect(await applyAll(journal)).toEqual([])
  await journal.close()
})

test('a process that dies leaves its promises to the next one', async () => {
  const folder = await makeFolder()
  const dead = await WriteJournal.open(needs, folder)
  await Promise.all(Array.from({ length: 50 }, (_, n) => dead.append('count', n)))
  await dead.close() // releases the lock without a replay, as after the death of the process
  const next = await WriteJournal.open(needs, folder)
  expect(next.pendingCount).toBe(50)
  expect((await applyAll(next)).toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 50 }, (_, n) => n),
  )
  await next.close()
  const last = await WriteJournal.open(needs, folder)
  expect(last.pendingCount).toBe(0)
  await last.close()
})

test('a line that a crash cut short is dropped, and what comes after it is kept', async () => {
  const folder = await makeFolder()
  const file = join(folder, '0', 'journal')
  const dead = await WriteJournal.open(needs, folder)
  await dead.append('a', 'whole\u2028\r\n')
  await dead.append('a', 'torn')
  await dead.close()
  const content = await readFile(file)
  await writeFile(file, content.subarray(0, content.byteLength - 7))
  const next = await WriteJournal.open(needs, folder)
  await next.append('a', 'after')
  await next.close()
  const last = await WriteJournal.open(needs, folder)
  expect(await applyAll(last)).toEqual(['whole\u2028\r\n', 'after'])
  await last.close()
})

test('a line that cannot be read is left out; those around it count, each once', async () => {
  const folder = await makeFolder()
  const file = join(folder, '0', 'journal')
  const dead = await WriteJournal.open(needs, folder)
  await dead.append('a', 'first')
  await dead.close()
  const line = await readFile(file, 'utf8')
  await appendFile(file, `{"id":"x","kind":"a","payl\n${line.replace('first', 'second')}${line}`)
  const next = await WriteJournal.open(needs, folder)
  expect(await applyAll(next)).toEqual(['first', 'second'])
  await next.close()
})

test('two processes on one folder have a journal each; the survivor takes over that of the dead', async () => {
  const folder = await makeFolder()
  const [one, two] = [await WriteJournal.open(needs, folder), await WriteJournal.open(needs, folder)]
  await one.append('a', 'of one')
  await two.append('a', 'of two')
  await one.close()
  await two.close()
  const next = await WriteJournal.open(needs, folder)
  expect((await applyAll(next)).toSorted()).toEqual(['of one', 'of two'])
  await next.close()
})

test('what anybody may send leaves room for what needs credentials', async () => {
  const journal = await WriteJournal.open(needs, await makeFolder())
  const text = 'x'.repeat(1024 * 1024)
  for (let n = 0; n < 4; n++) await journal.append('x', text, 4 / 64)
  await expect(journal.append('x', text, 4 / 64)).rejects.toThrow('journal is full')
  await journal.append('x', text)
  expect(journal.pendingCount).toBe(5)
  await journal.close()
})

test('what fails waits, with all that comes after it', async () => {
  const journal = await WriteJournal.open(needs, await makeFolder())
  for (const text of ['a', 'b', 'c']) await journal.append('x', text)
  const seen: unknown[] = []
  const failing = journal.drainAll(async ({ payload }) => {
    if (payload === 'b') throw new Error('not now')
    seen.push(payload)
  }, rethrow)
  await expect(failing).rejects.toThrow('not now')
  expect(journal.pendingCount).toBe(2)
  expect(await applyAll(journal)).toEqual(['b', 'c'])
  expect(seen).toEqual(['a'])
  await journal.close()
})

test('an outage is no fault of the writes that wait', async () => {
  const journal = await WriteJournal.open(needs, await makeFolder())
  await journal.append('a', 1)
  const failWith = (error: Error) =>
    journal.drainAll(
      () => Promise.reject(error),
      async () => true,
    )
  await failWith(new DatastoreAway('gone'))
  expect(journal.hasFailed('a')).toBe(false)
  await failWith(new Error('cannot be applied'))
  expect(journal.hasFailed('a')).toBe(true)
  await journal.close()
})

test('what is promised during a replay is neither lost nor done twice', async () => {
  const folder = await makeFolder()
  const journal = await WriteJournal.open(needs, folder)
  const seen: unknown[] = []
  const more: Promise<unknown>[] = []
  for (let n = 0; n < 100; n++) await journal.append('x', n)
  await journal.drainAll(async ({ payload }) => {
    seen.push(payload)
    if (Number(payload) < 100) more.push(journal.append('x', Number(payload) + 100))
  }, rethrow)
  await Promise.all(more)
  await journal.close()
  const next = await WriteJournal.open(needs, folder)
  const later = await applyAll(next)
  await next.close()
  // Records that are still in the file may be repeated. Together, no record is missing.
  expect(new Set([...seen, ...later])).toEqual(new Set(Array.from({ length: 200 }, (_, n) => n)))
  expect(new Set(seen).size).toBe(seen.length)
})

test('a write that is accepted after the earlier ones of its subject are applied, and fails in the same round, waits', async () => {
  const journal = await WriteJournal.open(needs, await makeFolder())
  await journal.append('a', 1)
  await journal.append('b', 1)
  const apply = async ({ kind, payload }: JournalRecord) => {
    if (kind === 'b') throw new Error('not now')
    await journal.drain('b', async () => {})
    await journal.append('b', payload)
  }
  await journal.drainAll(apply, async () => true)
  expect([journal.pendingCount, journal.isWaiting('b')]).toEqual([1, true])
  expect(await applyAll(journal)).toEqual([1])
  await journal.close()
})
