import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/programs/temporary-folder.ts'
import { isBuilt, writeBuilt } from './built-files.mjs'

async function makeRepository() {
  const { path: root, remove } = await makeTemporaryFolder('built')
  onTestFinished(remove)
  const [source, list] = [join(root, 'source'), join(root, 'dist/list.json')]
  const write = (changedAt: number) => {
    writeFileSync(source, 'source')
    utimesSync(source, changedAt / 1_000, changedAt / 1_000)
  }
  const build = (startedAt: number) =>
    writeBuilt(list, { startedAt, sources: ['source'], files: new Map([['bundle', 'bundle']]) })
  return { root, source, list, write, build, isBuilt: () => isBuilt(list, root) }
}

test('what was built is good until a source is newer or gone', async () => {
  const { root, source, list, write, build, isBuilt: isGood } = await makeRepository()
  write(1_000_000)
  expect(isGood()).toBe(false)
  build(1_010_000)
  expect(isGood()).toBe(true)
  expect(readFileSync(join(root, 'dist/bundle'), 'utf8')).toBe('bundle')
  expect(readdirSync(join(root, 'dist')).toSorted()).toEqual(['bundle', 'list.json'])
  write(1_020_000)
  expect(isGood()).toBe(false)
  build(1_030_000)
  rmSync(source)
  expect(isGood()).toBe(false)
  writeFileSync(list, '{')
  expect(isGood()).toBe(false)
})

test('a source that is written while it is built is no reason to trust the build', async () => {
  const { write, build, isBuilt: isGood } = await makeRepository()
  write(1_015_000)
  build(1_010_000)
  expect(isGood()).toBe(false)
})
