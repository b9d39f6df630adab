import { readFileSync } from 'node:fs'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/programs/temporary-folder.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { systemClock } from '../../kernel/clock.ts'
import { systemRandom } from '../../kernel/random.ts'
import { makeLog } from '../log.ts'
import { Spool, type SpoolRecord, type SubjectOf, type Verdict } from './spool.ts'

const needs = { clock: systemClock, random: systemRandom, log: makeLog('silent') }

async function makeFolder(): Promise<string> {
  const folder = await makeTemporaryFolder('spool-subjects')
  onTestFinished(() => folder.remove())
  return folder.path
}

/** Payloads are texts that begin with the name of their subject. */
const nameOf: SubjectOf = ({ payload }) => String(payload).split(' ')[0] ?? ''

async function appendAll(spool: Spool, texts: readonly string[]): Promise<void> {
  await Promise.all(texts.map((text) => spool.append('x', text)))
}

/** A round in which what is about some subjects fails; what was done, and what was tried in vain. */
async function replayBut(spool: Spool, isFailing: (name: string) => boolean, verdict: Verdict = 'go-on') {
  const [done, failed]: [unknown[], unknown[]] = [[], []]
  await spool.replay(
    async (record) => {
      if (!isFailing(nameOf(record))) return void done.push(record.payload)
      failed.push(record.payload)
      throw new Error('not now')
    },
    async () => verdict,
  )
  return { done, failed }
}

const all = () => true
const none = () => false
const only = (failing: string) => (name: string) => name === failing

async function textsIn(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean)
  return lines.map((line) => (JSON.parse(line.slice(9)) as SpoolRecord).payload as string)
}

describe('a round', () => {
  test('leaves what fails with all that comes after it of its subject, and does that of the others', async () => {
    const spool = await Spool.open(needs, await makeFolder(), nameOf)
    await appendAll(spool, ['a 1', 'b 1', 'a 2', 'c 1', 'b 2', 'a 3'])
    expect(await replayBut(spool, only('a'))).toEqual({ done: ['b 1', 'c 1', 'b 2'], failed: ['a 1'] })
    expect([spool.isWaiting('a'), spool.isWaiting('b'), spool.pendingCount]).toEqual([true, false, 3])
    await appendAll(spool, ['a 4', 'b 3'])
    const { done } = await replayBut(spool, none)
    expect(done, 'what has failed comes last').toEqual(['b 3', 'a 1', 'a 2', 'a 3', 'a 4'])
    expect([spool.pendingCount, spool.isEmpty]).toEqual([0, true])
    await spool.close()
  })

  test('that is stopped has tried one, and all wait as they did', async () => {
    const spool = await Spool.open(needs, await makeFolder(), nameOf)
    const texts = Array.from({ length: 100 }, (_, i) => `${i % 10} ${i}`)
    await appendAll(spool, texts)
    for (let round = 0; round < 3; round++)
      expect((await replayBut(spool, all, 'stop')).failed).toEqual(['0 0'])
    expect((await replayBut(spool, none)).done).toEqual(texts)
    await spool.close()
  })

  test('that ends early begins the next time with subjects that have not failed, or longest ago', async () => {
    const spool = await Spool.open(needs, await makeFolder(), nameOf)
    await appendAll(spool, ['a 1', 'b 1', 'c 1', 'a 2'])
    const tried: unknown[] = []
    for (let round = 0; round < 6; round++) tried.push(...(await replayBut(spool, all, 'end')).failed)
    expect(tried).toEqual(['a 1', 'b 1', 'c 1', 'a 1', 'b 1', 'c 1'])
    await spool.close()
  })

  test('ends after the record under way where it is told to', async () => {
    const spool = await Spool.open(needs, await makeFolder())
    await appendAll(spool, ['1', '2', '3'])
    const stopping = new AbortController()
    expect(await spool.replay(async () => stopping.abort(), undefined, stopping.signal)).toBe(1)
    expect(spool.pendingCount).toBe(2)
    await spool.close()
  })
})

test('what waits of one subject is done alone, each once, also beside a round', async () => {
  const spool = await Spool.open(needs, await makeFolder(), nameOf)
  await appendAll(spool, ['a 1', 'b 1', 'a 2', 'b 2', 'a 3'])
  const done: unknown[] = []
  const apply = async ({ payload }: SpoolRecord) => void done.push(payload)
  expect(await spool.replayOf('b', apply)).toBe(2)
  expect(done).toEqual(['b 1', 'b 2'])
  await Promise.all([spool.replay(apply), spool.replayOf('a', apply), spool.replayOf('a', apply)])
  expect(done).toEqual(['b 1', 'b 2', 'a 1', 'a 2', 'a 3'])
  expect(spool.pendingCount).toBe(0)
  await spool.close()
})

test('a journal of which most is done is made anew of what waits, with what is promised meanwhile', async () => {
  const folder = await makeFolder()
  const spool = await Spool.open(needs, folder, nameOf)
  const padding = 'x'.repeat(100_000)
  await appendAll(spool, ['away 1', ...Array.from({ length: 20 }, (_, i) => `b ${i} ${padding}`), 'away 2'])
  const more: Promise<unknown>[] = []
  const promiseMore = () => more.push(spool.append('x', `away ${more.length + 3}`))
  const replaying = spool.replay(
    async (record) => {
      if (nameOf(record) === 'away') throw new Error('not now')
      promiseMore()
    },
    async () => 'go-on',
  )
  let isOver = false
  replaying.finally(() => {
    isOver = true
  })
  while (!isOver) (await promiseMore()) && (await more.at(-1))
  await Promise.all(more)
  const waiting = Array.from({ length: more.length + 2 }, (_, i) => `away ${i + 1}`)
  expect(await textsIn(join(folder, '0', 'journal'))).toEqual(waiting)
  await spool.close()
  const next = await Spool.open(needs, folder, nameOf)
  expect((await replayBut(next, none)).done).toEqual(waiting)
  await next.close()
})

test('at any moment while a journal is made anew it holds all that waits', async () => {
  const folder = await makeFolder()
  const spool = await Spool.open(needs, folder, nameOf)
  const padding = 'x'.repeat(100_000)
  await appendAll(
    spool,
    Array.from({ length: 90 }, (_, i) => `${i % 9 < 4 ? 'away' : 'b'} ${i} ${padding}`),
  )
  let isOver = false
  const replaying = replayBut(spool, only('away')).finally(() => {
    isOver = true
  })
  const held = new Set<string>()
  while (!isOver) {
    // As a process would find it that starts after this one has died.
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
  await spool.close()
})

test('a journal that was being made anew when its process died holds all that waits', async () => {
  const folder = await makeFolder()
  const dead = await Spool.open(needs, folder, nameOf)
  await appendAll(dead, ['a 1', 'b 1', 'a 2'])
  await dead.close()
  const begun = (await readFile(join(folder, '0', 'journal'))).subarray(0, 60)
  for (const content of [Buffer.alloc(0), begun]) {
    const copy = await makeFolder()
    await cp(folder, copy, { recursive: true })
    await writeFile(join(copy, '0', 'journal.new'), content)
    const next = await Spool.open(needs, copy, nameOf)
    expect((await replayBut(next, none)).done).toEqual(['a 1', 'b 1', 'a 2'])
    await next.close()
    expect(await readdir(join(copy, '0'))).not.toContain('journal.new')
  }
})

test('what is done leaves a journal within a day, however small it is: the database forgets it after thirty', async () => {
  const folder = await makeFolder()
  const clock = new TestClock()
  const spool = await Spool.open({ ...needs, clock }, folder, nameOf)
  await appendAll(spool, ['away 1', 'b 1'])
  await replayBut(spool, only('away'))
  expect(await textsIn(join(folder, '0', 'journal'))).toEqual(['away 1', 'b 1'])
  await clock.advance(86_400_000)
  await replayBut(spool, only('away'))
  expect(await textsIn(join(folder, '0', 'journal'))).toEqual(['away 1'])
  await spool.close()
})

test('letting go of one takes no longer where a hundred thousand others wait', async () => {
  const spool = await Spool.open(needs, await makeFolder(), nameOf)
  const count = 100_000
  const nameAt = (i: number) => (i % 2 === 0 ? 'away' : `b${i % 1_000}`)
  await appendAll(
    spool,
    Array.from({ length: 2 * count }, (_, i) => `${nameAt(i)} ${i}`),
  )
  const began = performance.now()
  expect((await replayBut(spool, only('away'))).done).toHaveLength(count)
  for (let round = 0; round < 100; round++)
    expect((await replayBut(spool, only('away'))).failed).toEqual(['away 0'])
  expect(await spool.replayOf('away', async () => {})).toBe(count)
  // It takes one second; looking at all others for each would take ten thousand million looks.
  expect(performance.now() - began).toBeLessThan(15_000)
  expect(spool.pendingCount).toBe(0)
  await spool.close()
})
