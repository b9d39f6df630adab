import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/programs/temporary-folder.ts'
import { findKept, manifestName } from './find-kept.mjs'
import { buildPlace, keepBuild } from './keep-build.ts'

const long = new Date('2026-01-01T00:00:00Z')

/** A repository of one file, and a build that copies it and counts how often it is made. */
async function makeRepository() {
  const folder = await makeTemporaryFolder('build')
  onTestFinished(() => folder.remove())
  const write = (text: string, at = long) => {
    writeFileSync(join(folder.path, 'source'), text)
    utimesSync(join(folder.path, 'source'), at, at)
  }
  write('one')
  const place = buildPlace(folder.path, 'copy')
  let made = 0
  const copy = async (draft: string) => {
    made++
    writeFileSync(join(draft, 'copy'), readFileSync(join(folder.path, 'source')))
    return ['source']
  }
  const read = (kept: string) => readFileSync(join(kept, 'copy'), 'utf8')
  return { place, write, copy, read, keep: () => keepBuild(place, copy), made: () => made }
}

test('what was built is taken again while its files are the same, and built anew once one has changed', async () => {
  const { write, read, keep, made } = await makeRepository()
  const first = await keep()
  expect(await keep()).toBe(first)
  expect(made()).toBe(1)
  write('two', new Date('2026-01-02T00:00:00Z'))
  expect(read(await keep())).toBe('two')
  expect(made()).toBe(2)
})

test('a file that is written while it is built is no reason to trust the build the next time', async () => {
  const { write, keep, made } = await makeRepository()
  write('one', new Date(Date.now() + 5_000))
  await keep()
  await keep()
  expect(made()).toBe(2)
})

test('a build that is not whole is not taken, and is mended by the next', async () => {
  const { place, keep } = await makeRepository()
  const kept = await keep()
  writeFileSync(join(kept, 'copy'), '')
  expect(findKept(place.home, place.root)).toBeUndefined()
  expect(await keep()).toBe(kept)
  expect(readFileSync(join(kept, 'copy'), 'utf8')).toBe('one')
  rmSync(join(kept, manifestName))
  expect(findKept(place.home, place.root)).toBeUndefined()
})

test('of two that build at the same time either may win, and both get the same', async () => {
  const { keep, read, made, place } = await makeRepository()
  const [a, b] = await Promise.all([keep(), keep()])
  expect(a).toBe(b)
  expect(read(a)).toBe('one')
  expect(made()).toBe(2)
  expect(readdirSync(place.home)).toEqual([basename(a)])
})

test('three builds are kept at most, and drafts of processes that were killed only for an hour', async () => {
  const { place, write, keep } = await makeRepository()
  const [old, young] = ['draft-oldold', 'draft-young1'].map((name) => join(place.home, name))
  for (const draft of [old, young]) mkdirSync(draft ?? '', { recursive: true })
  const ago = new Date(Date.now() - 2 * 3_600_000)
  utimesSync(old ?? '', ago, ago)
  const kept: string[] = []
  for (let day = 1; day <= 5; day++) {
    write(`${day}`, new Date(long.getTime() + day * 86_400_000))
    const folder = await keep()
    utimesSync(folder, new Date(), new Date(Date.now() + day * 1_000))
    kept.push(folder)
  }
  expect(kept.map((folder) => existsSync(folder))).toEqual([false, false, true, true, true])
  expect([existsSync(old ?? ''), existsSync(young ?? '')]).toEqual([false, true])
})

test('a build that fails leaves nothing behind', async () => {
  const { place } = await makeRepository()
  const fail = async () => {
    throw new Error('no')
  }
  await expect(keepBuild(place, fail)).rejects.toThrow('no')
  expect(readdirSync(place.home)).toEqual([])
})
