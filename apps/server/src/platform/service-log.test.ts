import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openServiceLog } from './service-log.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'sluice-terminal-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

test('at a terminal the lines go to a file, and only warnings and errors are shown, as sentences', () => {
  const shown: string[] = []
  const { log, path } = openServiceLog(
    { logLevel: 'info', dataDir },
    { isTTY: true, write: (text) => shown.push(text) },
  )
  log.info({ port: 8080 }, 'ready')
  log.warn('the chain is slow')
  log.error({ err: new Error('no such host') }, 'a job fails')
  expect(shown.join('')).toBe('  Warning: the chain is slow\n  Error: a job fails: no such host\n')
  const lines = readFileSync(path ?? '', 'utf8')
    .trim()
    .split('\n')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['ready', 'the chain is slow', 'a job fails'])
})

test('without a terminal no file is written', () => {
  expect(openServiceLog({ logLevel: 'silent', dataDir }, { write: () => {} }).path).toBeUndefined()
})
