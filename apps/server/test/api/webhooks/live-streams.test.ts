import { get, type IncomingMessage } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ChainUnavailable } from '../../../src/chain/chain-unavailable.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { Refusal } from '../../../src/kernel/refusal.ts'
import { liveLimits } from '../../../src/pages/live/live-checkouts.ts'
import { registerPages } from '../../../src/pages/register-pages.ts'
import { plainTheme } from '../../../src/pages/theme/page-theme.ts'
import { addresses, makeView } from '../../support/browser/checkout-views.ts'
import { emptyPages } from '../../support/browser/empty-pages.ts'
import { TestClock } from '../../support/test-clock.ts'

const clock = new TestClock()
let app: FastifyInstance
let url: string
let readCount = 0
const open: IncomingMessage[] = []

beforeEach(async () => {
  app = Fastify({ logger: false })
  await registerPages(app, {
    ...emptyPages,
    checkouts: {
      async find({ id, recipient }) {
        readCount++
        if (recipient?.toLowerCase() !== addresses.merchant.toLowerCase())
          throw new Refusal('not_found', 'Receipt not found')
        return makeView(clock.now(), { receiptId: id })
      },
      openAttempt: async () => {
        throw new ChainUnavailable('This test has no chain')
      },
      findPayUrl: async () => '',
      findOnSuccess: async () => undefined,
    },
    embedding: { findOrigins: async () => [] },
    images: {
      findStored: async () => undefined,
      store: { find: async () => ({ kind: 'fault', fault: 'unreachable' }), close: () => {} },
    },
    themes: { find: async () => plainTheme },
    site: { baseUrl: '', localRpcUrl: undefined, isProduction: false },
    clock,
    random: systemRandom,
    log: pino({ level: 'silent' }),
    admit: async () => {},
    addressOf: ({ headers, ip }) => String(headers['x-address'] ?? ip),
  })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  for (const stream of open.splice(0)) stream.destroy()
  await app.close()
})

/** Opens a stream; resolves with its first status, or with the answer's status where it is none. */
function follow(path: string, address = 'here'): Promise<string | number> {
  return new Promise((resolve, reject) => {
    get(url + path, { headers: { 'x-address': address }, agent: false }, (answer) => {
      open.push(answer)
      if (answer.statusCode !== 200) return resolve(answer.statusCode ?? 0)
      answer.on('data', (chunk) => String(chunk).includes('data: ') && resolve(String(chunk)))
      answer.on('error', () => {})
    }).on('error', reject)
  })
}

/** The merchant's address in as many ways as asked. */
const spellings = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const digits = [...addresses.merchant.slice(2)]
    return `0x${digits.map((digit, at) => ((i >> (at % 5)) & 1 ? digit.toUpperCase() : digit.toLowerCase())).join('')}`
  })

test('a receipt is read once a second however its recipient is spelt', async () => {
  const paths = spellings(20).map((recipient) => `/pay/r1/events?recipient=${recipient}`)
  expect(new Set(paths).size).toBe(20)
  for (const path of paths) expect(await follow(path)).toContain('data: ')
  const before = readCount
  await clock.advance(1_000)
  await clock.advance(1_000)
  expect(readCount - before).toBe(2)
})

test('an address that has its share is told to ask for itself, and others are not', async () => {
  const path = `/pay/r2/events?recipient=${addresses.merchant}`
  for (let i = 0; i < liveLimits.perAddress; i++) expect(await follow(path)).toContain('data: ')
  expect(await follow(path)).toBe(204)
  expect(await follow(path, 'elsewhere')).toContain('data: ')
})
