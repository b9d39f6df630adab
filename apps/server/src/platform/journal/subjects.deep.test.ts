import { readFileSync } from 'node:fs'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/programs/temporary-folder.ts'
import { systemClock } from '../../kernel/clock.ts'
import { systemRandom } from '../../kernel/random.ts'
import { makeLog } from '../log.ts'
import { type JournalRecord, WriteJournal } from './write-journal.ts'

const needs = { clock: systemClock, random: systemRandom, log: makeLog('silent') }

async function makeFolder(): Promise<string> {
  const folder = await makeTemporaryFolder('journal-subjects')
  onTestFinished(() => folder.remove())
  return folder.path
}

const nameOf = ({ payload }: Pick<JournalRecord, 'payload'>) => String(payload).split(' ')[0] ?? ''

async function appendAll(journal: WriteJournal, texts: readonly string[]): Promise<void> {
  await Promise.all(texts.map((text) => journal.append('x', text)))
}

async function applyBut(journal: WriteJournal, isFailing: (name: string) => boolean, goesOn = true) {
  const [done, failed]: [unknown[], unknown[]] = [[], []]
  await journal.drainAll(
    async (record) => {
      if (!isFailing(nameOf(record))) return void done.push(record.payload)
      failed.push(record.payload)
      throw new Error('not now')
    },
    async () => goesOn,
  )
  return { done, failed }
}

const rethrow = async (error: unknown): Promise<never> => {
  throw error
}
const all = () => true
const none = () => false
const only = (failing: string) => (name: string) => name === failing

async function textsIn(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
  return lines.map((line) => (JSON.parse(line) as JournalRecord).payload as string)
}

describe('a round', () => {
  test('leaves what fails with all that comes after it of its subject, and does that of the others', async () => {
    const journal = await WriteJournal.open(needs, await makeFolder(), nameOf)
    await appendAll(journal, ['a 1', 'b 1', 'a 2', 'c 1', 'b 2', 'a 3'])
    expect(await applyBut(journal, only('a'))).toEqual({ done: ['b 1', 'b 2', 'c 1'], failed: ['a 1'] })
    expect([journal.isWaiting('a'), journal.isWaiting('b'), journal.pendingCount]).toEqual([true, false, 3])
    await appendAll(journal, ['a 4', 'b 3'])
    const { done } = await applyBut(journal, none)
    expect(done).toEqual(['a 1', 'a 2', 'a 3', 'a 4', 'b 3'])
    expect([journal.pendingCount, journal.isEmpty]).toEqual([0, true])
    await journal.close()
  })

  test('that ends early begins the next time with subjects that have not failed, or longest ago', async () => {
    const journal = await WriteJournal.open(needs, await makeFolder(), nameOf)
    await appendAll(journal, ['a 1', 'b 1', 'c 1', 'a 2'])
    const tried: unknown[] = []
    for (let round = 0; round < 6; round++) tried.push(...(await applyBut(journal, all, false)).failed)
    expect(tried).toEqual(['a 1', 'b 1', 'c 1', 'a 1', 'b 1', 'c 1'])
    await journal.close()
  })

  test('ends after the record under way where it is told to', async () => {
    const journal = await WriteJournal.open(needs, await makeFolder())
    await appendAll(journal, ['1', '2', '3'])
    const stopping = new AbortController()
    await journal.drainAll(async () => stopping.abort(), rethrow, stopping.signal)
    expect(journal.pendingCount).toBe(2)
    await journal.close()
  })
})

test('what waits of one subject is done alone, each once, also beside a round', async () => {
  const journal = await WriteJournal.open(needs, await makeFolder(), nameOf)
  await appendAll(journal, ['a 1', 'b 1', 'a 2', 'b 2', 'a 3'])
  const done: unknown[] = []
  const apply = async ({ payload }: JournalRecord) => void done.push(payload)
  await journal.drain('b', apply)
  expect(done).toEqual(['b 1', 'b 2'])
  await Promise.all([journal.drainAll(apply, rethrow), journal.drain('a', apply), journal.drain('a', apply)])
  expect(done).toEqual(['b 1', 'b 2', 'a 1', 'a 2', 'a 3'])
  expect(journal.pendingCount).toBe(0)
  await journal.close()
})

test('a journal of which most is done is made anew of what waits, with what is promised meanwhile', async () => {
  const folder = await makeFolder()
  const journal = await WriteJournal.open(needs, folder, nameOf)
  const padding = 'x'.repeat(100_000)
  await appendAll(journal, ['away 1', ...Array.from({ length: 20 }, (_, i) => `b ${i} ${padding}`), 'away 2'])
  const more: Promise<unknown>[] = []
  const promiseMore = () => more.push(journal.append('x', `away ${more.length + 3}`))
  const replaying = journal.drainAll(
    async (record) => {
      if (nameOf(record) === 'away') throw new Error('not now')
      promiseMore()
    },
    async () => true,
  )
  let isOver = false
  replaying.finally(() => {
    isOver = true
  })
  while (!isOver) (await promiseMore()) && (await more.at(-1))
  await Promise.all(more)
  const waiting = Array.from({ length: more.length + 2 }, (_, i) => `away ${i + 1}`)
  expect(await textsIn(join(folder, '0', 'journal'))).toEqual(waiting)
  await journal.close()
  const next = await WriteJournal.open(needs, folder, nameOf)
  expect((await applyBut(next, none)).done).toEqual(waiting)
  await next.close()
})

test('at any moment while a journal is made anew it holds all that waits', async () => {
  const folder = await makeFolder()
  const journal = await WriteJournal.open(needs, folder, nameOf)
  const padding = 'x'.repeat(100_000)
  await appendAll(
    journal,
    Array.from({ length: 90 }, (_, i) => `${i % 9 < 4 ? 'away' : 'b'} ${i} ${padding}`),
  )
  let isOver = false
  const replaying = applyBut(journal, only('away')).finally(() => {
    isOver = true
  })
  const held = new Set<string>()
  while (!isOver) {
    // The file that the next process would find if this one died now.
    const texts = readFileSync(join(folder, '0', 'journal'), 'latin1').split('"payload":"')
    const count = (name: string) => texts.filter((text) => text.startsWith(`${name} `)).length
    held.add(`${count('away')} away, ${count('b')} b`)
    await new Promise(setImmediate)
  }
  await replaying
  expect(held.values().next().value).toBe('40 away, 50 b')
  held.delete('40 away, 50 b')
  held.delete('40 away, 0 b')
  expect([...held]).toEqual([])
  expect(await textsIn(join(folder, '0', 'journal'))).toHaveLength(40)
  await journal.close()
})

test('a journal that was being made anew when its process died holds all that waits', async () => {
  const folder = await makeFolder()
  const dead = await WriteJournal.open(needs, folder, nameOf)
  await appendAll(dead, ['a 1', 'b 1', 'a 2'])
  await dead.close()
  const begun = (await readFile(join(folder, '0', 'journal'))).subarray(0, 60)
  for (const content of [Buffer.alloc(0), begun]) {
    const copy = await makeFolder()
    await cp(folder, copy, { recursive: true })
    await writeFile(join(copy, '0', 'journal.new'), content)
    const next = await WriteJournal.open(needs, copy, nameOf)
    expect((await applyBut(next, none)).done).toEqual(['a 1', 'a 2', 'b 1'])
    await next.close()
    expect(await readdir(join(copy, '0'))).not.toContain('journal.new')
  }
})

test('what is applied leaves the file with its round, whatever else waits', async () => {
  const folder = await makeFolder()
  const journal = await WriteJournal.open(needs, folder, nameOf)
  await appendAll(journal, ['away 1', 'b 1'])
  await applyBut(journal, only('away'))
  expect(await textsIn(join(folder, '0', 'journal'))).toEqual(['away 1'])
  await journal.close()
})

test('letting go of one takes no longer where a hundred thousand others wait', async () => {
  const journal = await WriteJournal.open(needs, await makeFolder(), nameOf)
  const count = 100_000
  const nameAt = (i: number) => (i % 2 === 0 ? 'away' : `b${i % 1_000}`)
  await appendAll(
    journal,
    Array.from({ length: 2 * count }, (_, i) => `${nameAt(i)} ${i}`),
  )
  const began = performance.now()
  expect((await applyBut(journal, only('away'))).done).toHaveLength(count)
  for (let round = 0; round < 100; round++)
    expect((await applyBut(journal, only('away'))).failed).toEqual(['away 0'])
  await journal.drain('away', async () => {})
  // The replay takes one second. A quadratic search would need ten billion comparisons.
  expect(performance.now() - began).toBeLessThan(15_000)
  expect(journal.pendingCount).toBe(0)
  await journal.close()
})
