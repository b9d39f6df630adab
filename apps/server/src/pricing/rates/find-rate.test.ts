import type { RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import type { Clock } from '../../kernel/clock.ts'
import { makeLog } from '../../platform/log.ts'
import { findRate, getRate, RateUnavailable } from './find-rate.ts'
import { fixedRates } from './live-rates.ts'
import { oneDollar, type RateCode, type RateReading, type RateSource } from './rate.ts'
import { makeRefreshRatesJob, RateBook } from './rate-book.ts'

const log = makeLog('silent')

function stillClock() {
  let now = 1_700_000_000_000
  const clock: Clock = { now: () => now as UnixMs, after: () => () => {} }
  return { clock, move: (ms: number) => (now += ms) }
}

function scripted(codes: readonly RateCode[], response: (code: RateCode) => bigint | Error, clock: Clock) {
  let readCount = 0
  const source: RateSource = {
    name: 'scripted',
    codes,
    async read(asked): Promise<RateReading[]> {
      readCount += 1
      return asked.map((code) => {
        const value = response(code)
        if (value instanceof Error) return { code, source: 'scripted', error: value.message }
        return { code, source: 'scripted', usdPerUnit: value as RateE8, quotedAt: clock.now() }
      })
    },
  }
  return { source, readCount: () => readCount }
}

function bookOf(codes: readonly RateCode[], response: (code: RateCode) => bigint | Error) {
  const { clock, move } = stillClock()
  const { source, readCount } = scripted(codes, response, clock)
  return { rates: new RateBook({ clock, log, sources: [source] }), move, readCount }
}

test('the fixed prices of development are always at hand', async () => {
  const { clock, move } = stillClock()
  const rates = new RateBook({ clock, log, sources: [fixedRates({ clock })] })
  const ether = { usdPerUnit: 2_500n * oneDollar, provider: 'fixed', quotedAt: clock.now() }
  expect(await getRate({ rates }, 'ETH')).toMatchObject(ether)
  move(30 * 86_400_000)
  expect(await getRate({ rates }, 'EUR')).toMatchObject({ usdPerUnit: 108_000_000n, quotedAt: clock.now() })
  expect((await getRate({ rates }, 'USDC')).usdPerUnit).toBe(oneDollar)
  expect((await getRate({ rates }, 'cbBTC')).usdPerUnit).toBe(60_000n * oneDollar)
  expect((await getRate({ rates }, 'cbXRP')).usdPerUnit).toBe(50_000_000n)
})

test('live, then cached within its age, then refused', async () => {
  let response: bigint | Error = 2_000n * oneDollar
  const { rates, move } = bookOf(['ETH'], () => response)
  const first = await getRate({ rates }, 'ETH')

  response = new Error('down')
  move(59_000)
  expect(await getRate({ rates }, 'ETH')).toEqual(first)
  move(2_000)
  await expect(getRate({ rates }, 'ETH')).rejects.toThrow(RateUnavailable)

  response = 2_100n * oneDollar
  move(10_000)
  expect((await getRate({ rates }, 'ETH')).usdPerUnit).toBe(2_100n * oneDollar)
})

test('a code no source knows is refused', async () => {
  const { clock } = stillClock()
  const rates = new RateBook({ clock, log, sources: [] })
  await expect(getRate({ rates }, 'EUR')).rejects.toThrow(RateUnavailable)
})

test('many who ask at once share one reading, and a failure is not asked for again at once', async () => {
  const { rates, move, readCount } = bookOf(['ETH'], () => new Error('down'))
  await Promise.all(Array.from({ length: 20 }, () => findRate({ rates }, 'ETH')))
  expect(readCount()).toBe(1)
  await findRate({ rates }, 'ETH')
  expect(readCount()).toBe(1)
  move(5_001)
  await findRate({ rates }, 'ETH')
  expect(readCount()).toBe(2)
})

test('the job keeps every code fresh, so that nobody who prices has to wait', async () => {
  const { rates, move, readCount } = bookOf(['ETH', 'cbBTC'], () => oneDollar)
  const job = makeRefreshRatesJob({ rates })
  await job.run(new AbortController().signal)
  move(job.everyMs)
  await getRate({ rates }, 'ETH')
  await getRate({ rates }, 'cbBTC')
  expect(readCount()).toBe(1)
})

test('a source that throws does not silence the others', async () => {
  const { clock } = stillClock()
  const broken: RateSource = { name: 'broken', codes: ['ETH'], read: () => Promise.reject(new Error('bug')) }
  const rates = new RateBook({ clock, log, sources: [broken, fixedRates({ clock })] })
  expect((await getRate({ rates }, 'ETH')).provider).toBe('fixed')
})

test.each([
  [99_000_000n, oneDollar],
  [99_990_000n, oneDollar],
  [101_000_000n, oneDollar],
  [98_999_999n, undefined],
  [101_000_001n, undefined],
])('a stablecoin seen at %s E8 is worth %s', async (seen, worth) => {
  const { rates } = bookOf(['USDC'], () => seen)
  const rate = await findRate({ rates }, 'USDC')
  expect(rate?.usdPerUnit).toBe(worth)
  if (rate) expect(rate.inputs).toMatchObject([{ source: 'scripted', usdPerUnit: seen }])
})
