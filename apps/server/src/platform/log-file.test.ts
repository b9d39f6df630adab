import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openLogFile } from './service-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a log file keeps the newest lines within its bound, and only its owner can read it', () => {
  const file = openLogFile(folder, 1_000)
  for (let i = 0; i < 100; i++) file.write(`${String(i).padStart(99, '0')}\n`)
  const [now, before] = [readFileSync(file.path, 'utf8'), readFileSync(`${file.path}.1`, 'utf8')]
  expect((before + now).trim().split('\n').map(Number)).toEqual(Array.from({ length: 20 }, (_, i) => 80 + i))
  expect(statSync(file.path).mode & 0o777).toBe(0o600)
})

test('a disk without room stops the log, and not the service', () => {
  const path = join(folder, 'full')
  mkdirSync(path)
  symlinkSync('/dev/full', join(path, 'sluice.log'))
  const file = openLogFile(path)
  for (let count = 0; count < 30; count++) file.write(`${'x'.repeat(100_000)}\n`)
})
