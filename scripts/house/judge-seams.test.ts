import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { judgeSeams } from './judge-seams.ts'

const receipts = 'apps/server/src/receipts/making/create-receipt.ts'

test.each([
  'const at = Date.now()',
  'const at = new Date()',
  'const at = Date()',
  'const chance = Math.random()',
  "const answer = await fetch('https://example.com')",
  'const answer = await globalThis.fetch(url)',
  'const client = { fetch }',
  'setTimeout(() => {}, 5)',
  'const timer = setInterval(tick, 5)',
  'setImmediate(tick)',
  'const at = performance.now()',
  'const port = process.env.PORT',
  'const at = process.hrtime.bigint()',
  "import { randomBytes } from 'node:crypto'",
  "import { randomUUID as id } from 'node:crypto'",
  'const id = crypto.randomUUID()',
  "import { setTimeout as sleep } from 'node:timers/promises'",
  "import { request } from 'undici'",
])('outside kernel and platform this touches the world: %s', (text) => {
  expect(judgeSeams([parseSource(receipts, text)])[0]?.rule).toBe('seam')
})

test.each([
  'const at = needs.clock.now()',
  'const at = new Date(needs.clock.now())',
  'const answer = await needs.outbound.fetch(url)',
  'type Needs = { fetch(url: string): Promise<Response> }',
  'type Fetch = typeof fetch',
  "const text = 'Date.now()' // Math.random()",
  "import type { Dispatcher } from 'undici'",
  "import { createHash } from 'node:crypto'",
  'const platform = process.platform',
])('this touches nothing: %s', (text) => {
  expect(judgeSeams([parseSource(receipts, text)])).toEqual([])
})

test('kernel, platform, tests and the browser are free; the protocol is not', () => {
  const rulesAt = (path: string) => judgeSeams([parseSource(path, 'const at = Date.now()')]).length
  expect(rulesAt('apps/server/src/kernel/clock.ts')).toBe(0)
  expect(rulesAt('apps/server/src/platform/database/database.ts')).toBe(0)
  expect(rulesAt('apps/server/src/pages/islands/checkout.ts')).toBe(0)
  expect(rulesAt('apps/server/src/receipts/status.test.ts')).toBe(0)
  expect(rulesAt('apps/server/test/flows/pay.test.ts')).toBe(0)
  expect(rulesAt('packages/protocol/src/time.ts')).toBe(1)
})

test('the command line and the client package get the environment handed to them, and may do the rest', () => {
  const rulesAt = (path: string) =>
    judgeSeams([parseSource(path, 'start(process.env); setTimeout(end, 5)')]).length
  expect(rulesAt('apps/cli/src/settings.ts')).toBe(1)
  expect(rulesAt('apps/cli/src/main.ts')).toBe(0)
  expect(rulesAt('packages/sdk/src/transport.ts')).toBe(1)
})

test('only the programs a person starts may hand on the environment', () => {
  const rulesAt = (path: string, text: string) => judgeSeams([parseSource(path, text)]).length
  const uses = 'start(process.env); setTimeout(end, 5)'
  expect(rulesAt('apps/server/src/main.ts', uses)).toBe(1)
  expect(rulesAt('apps/server/src/demo.ts', 'start(process.env)')).toBe(0)
  expect(rulesAt('apps/server/src/app/http/http.ts', uses)).toBe(2)
  expect(rulesAt('apps/server/src/main.ts', 'const at = Date.now()')).toBe(1)
})
