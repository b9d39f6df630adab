import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { prepareDataFolder, readDataFolder } from './data-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-data-folder-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a data directory that is missing is made, and nothing is left in it', () => {
  const path = join(folder, 'new/data')
  prepareDataFolder(path)
  expect(readdirSync(path)).toEqual([])
})

test('one that cannot be made or written to is named, with its setting', async () => {
  writeFileSync(join(folder, 'file'), '')
  const path = join(folder, 'file/data')
  expect(() => prepareDataFolder(path)).toThrow(
    new RegExp(`^DATA_DIR \\(${path}\\) cannot be written to: ENOTDIR.*make it writable for this user`),
  )
  expect(await readDataFolder(path)).toEqual({ freeBytes: 0, error: 'not_writable' })
  expect(existsSync(path)).toBe(false)
})

// Root may write anywhere.
test.skipIf(process.getuid?.() === 0)('one that belongs to another user is named too', async () => {
  const path = join(folder, 'closed')
  mkdirSync(path)
  chmodSync(path, 0o500)
  expect(() => prepareDataFolder(path)).toThrow('EACCES')
  expect((await readDataFolder(path)).error).toBe('not_writable')
})

test('room for the journal is enough', async () => {
  const { freeBytes, error } = await readDataFolder(folder)
  expect([freeBytes > 0, error]).toEqual([true, freeBytes < 64 * 1024 * 1024 ? 'almost_full' : undefined])
})
