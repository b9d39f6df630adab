import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { base } from '@sluice/protocol/networks/base.ts'
import { networks } from '@sluice/protocol/networks/list.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { perFile } from '../../../test/support/per-file.ts'
import { forAll } from '../../../test/support/test-random.ts'
import { describeNetwork } from '../../chain/networks.ts'
import { systemClock } from '../../kernel/clock.ts'
import { makeLog } from '../../platform/log.ts'
import { HttpOutbound } from '../../platform/outbound/http-outbound.ts'
import { chainlinkRates } from './chainlink-rates.ts'
import { coinbaseRates } from './coinbase-rates.ts'
import { ecbRates } from './ecb-rates.ts'
import { getRate, RateUnavailable } from './find-rate.ts'
import { krakenRates } from './kraken-rates.ts'
import { liveRates } from './live-rates.ts'
import { oneDollar, type RateCode, type RateSource } from './rate.ts'
import { RateBook } from './rate-book.ts'
import { parseRateE8 } from './read-source.ts'

const now = Date.UTC(2026, 0, 16, 13) as UnixMs
let time = now
const clock = { ...systemClock, now: () => time }

type ExchangeResponse = { status?: number; body: string } | 'close' | 'endless'
let responses: (path: string) => ExchangeResponse
let asked: string[] = []
const server = perFile(() => {
  const listening = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const reply = responses(path)
    if (reply === 'close') response.destroy()
    else if (reply === 'endless') {
      const more = () => {
        while (!response.destroyed && response.write('[['.repeat(30_000)));
      }
      response.on('drain', more)
      more()
    } else response.writeHead(reply.status ?? 200).end(reply.body)
  }).listen(0, '127.0.0.1')
  return once(listening, 'listening').then(() => listening)
})
const outbound = perFile(() => new HttpOutbound({ clock: systemClock }, { targets: 'any', allowHttp: true }))
const here = perFile(() => ({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))

beforeEach(() => {
  time = now
  asked = []
})

const ticker = (price: unknown, at = new Date(now).toISOString()) =>
  JSON.stringify({ trade_id: 1, price, size: '0.1', time: at, bid: '1', ask: '2' })

const kraken = (prices: Record<string, unknown>) =>
  JSON.stringify({
    error: [],
    result: Object.fromEntries(Object.entries(prices).map(([pair, price]) => [pair, { c: [price, '0.01'] }])),
  })

const ecb = (day: string, rate: string) => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope><gesmes:subject>Reference rates</gesmes:subject><Cube><Cube time='${day}'>
<Cube currency='USD' rate='${rate}'/><Cube currency='JPY' rate='169.62'/></Cube></Cube></gesmes:Envelope>`

async function readOne(source: RateSource, code: RateCode) {
  const [reading] = await source.read([code])
  return reading
}

test('a Coinbase ticker is read with its own time', async () => {
  responses = () => ({ body: ticker('2512.34', '2026-01-16T12:59:59.123456Z') })
  const reading = { code: 'cbBTC', source: 'coinbase', usdPerUnit: 251_234_000_000n, quotedAt: now - 877 }
  expect(await readOne(coinbaseRates({ outbound }, here), 'cbBTC')).toEqual(reading)
  expect(asked).toEqual(['/products/BTC-USD/ticker'])
})

test('Kraken is asked once for all it is to tell', async () => {
  responses = () => ({ body: kraken({ XETHZUSD: '2500.10', USDTZUSD: '0.99990', ZEURZUSD: '1.08310' }) })
  const readings = await krakenRates({ outbound, clock }, here).read(['ETH', 'USDT', 'EUR', 'cbXRP'])
  expect(readings).toEqual([
    { code: 'ETH', source: 'kraken', usdPerUnit: 250_010_000_000n, quotedAt: now },
    { code: 'USDT', source: 'kraken', usdPerUnit: 99_990_000n, quotedAt: now },
    { code: 'EUR', source: 'kraken', usdPerUnit: 108_310_000n, quotedAt: now },
    { code: 'cbXRP', source: 'kraken', error: 'unknown format of a ticker' },
  ])
  expect(asked).toEqual(['/0/public/Ticker?pair=ETHUSD,USDTUSD,EURUSD,XRPUSD'])
})

test('the euro comes from the ECB, is read seldom, and is stale after 36 hours, weekend or not', async () => {
  responses = () => ({ body: ecb('2026-01-16', '1.0834') })
  const source = ecbRates({ outbound, clock }, here)
  const rates = new RateBook({ clock, log: makeLog('silent'), sources: [source] })
  const friday = { usdPerUnit: 108_340_000n, quotedAt: Date.UTC(2026, 0, 16, 12, 15), provider: 'ecb' }
  expect(await getRate({ rates }, 'EUR')).toMatchObject(friday)
  time = (now + 300_000) as UnixMs
  await getRate({ rates }, 'EUR')
  expect(asked).toHaveLength(1)
  time = Date.UTC(2026, 0, 18, 0, 15) as UnixMs
  expect((await getRate({ rates }, 'EUR')).usdPerUnit).toBe(108_340_000n)
  time = (Date.UTC(2026, 0, 18, 0, 15) + 1) as UnixMs
  await expect(getRate({ rates }, 'EUR')).rejects.toThrow(RateUnavailable)
})

const notTexts = [2500, -2500, null, true, [], {}]
const notNumbers = ['', ' ', 'NaN', 'Infinity', '-2500', '+2500', '2.5e3', '2,500', '0x9c4', '2500.', '.5']
const noPrices = [...notTexts, ...notNumbers, '2500 ', '٢٥٠٠', '1'.repeat(13), `1.${'0'.repeat(31)}`]

const hostile: [string, ExchangeResponse][] = [
  ['no connection', 'close'],
  ['an endless body', 'endless'],
  ['an error', { status: 500, body: ticker('2500') }],
  ['a redirect', { status: 302, body: ticker('2500') }],
  ['nothing', { body: '' }],
  ['no JSON', { body: '<html>' }],
  ['null', { body: 'null' }],
  ['an array', { body: '[1,2,3]' }],
  ['deep nesting', { body: `${'['.repeat(30_000)}${']'.repeat(30_000)}` }],
  ...noPrices.map((price): [string, ExchangeResponse] => [
    `a price of ${JSON.stringify(price)}`,
    { body: JSON.stringify({ price, time: '2026-01-16T13:00:00Z', result: { XETHZUSD: { c: [price] } } }) },
  ]),
  [
    'an inherited price',
    { body: '{"__proto__":{"price":"2500","time":"2026-01-16T13:00:00Z"},"result":{}}' },
  ],
]

test.each(hostile)('an exchange that answers with %s tells nothing', async (_, reply) => {
  responses = () => reply
  expect(await readOne(coinbaseRates({ outbound }, here), 'ETH')).toHaveProperty('error')
  expect(await readOne(krakenRates({ outbound, clock }, here), 'ETH')).toHaveProperty('error')
  expect(await readOne(ecbRates({ outbound, clock }, here), 'EUR')).toHaveProperty('error')
})

const noTimes = [
  '',
  'yesterday',
  '2026-01-16',
  '2026-99-99T00:00:00Z',
  '1768568400',
  '2026-01-16T13:00:00+14:00',
]

test.each(noTimes)('a ticker of the time %j tells nothing', async (at) => {
  responses = () => ({ body: ticker('2500', at) })
  expect(await readOne(coinbaseRates({ outbound }, here), 'ETH')).toHaveProperty('error')
})

test.each([
  ecb('2026-01-16', '1.08').replace('rate=', 'rate="9" rate='),
  ecb('2026-01-16', '1.08') + ecb('2026-01-15', '1.07'),
  ecb('2026-13-45', '1.08'),
  ecb('2026-01-16', '-1.08'),
  ecb('2026-01-16', '1..08'),
  ecb('2026-01-16', '1.08').replace('USD', 'US&#68;'),
])('daily rates of another form tell nothing', async (body) => {
  responses = () => ({ body })
  expect(await readOne(ecbRates({ outbound, clock }, here), 'EUR')).toHaveProperty('error')
})

test('one lying exchange of three sources is outvoted', async () => {
  responses = (path) => ({
    body: path.startsWith('/products') ? ticker('9999999') : kraken({ XETHZUSD: '2500.00' }),
  })
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const round = [1n, 2_501n * oneDollar, BigInt(now / 1000), BigInt(now / 1000), 1n].map(word).join('')
  const sources = [
    coinbaseRates({ outbound }, here),
    krakenRates({ outbound, clock }, here),
    chainlinkRates({ chain: { id: base.id, call: async () => ({ ok: true, data: `0x${round}` }) } }),
  ]
  const rate = await getRate({ rates: new RateBook({ clock, log: makeLog('silent'), sources }) }, 'ETH')
  expect(rate).toMatchObject({ usdPerUnit: 250_050_000_000n, provider: 'kraken+chainlink' })
})

test('a feed that reverts, answers in another form or is out of reach tells nothing; a negative one does not count', async () => {
  const read = (call: Parameters<typeof chainlinkRates>[0]['chain']['call']) =>
    readOne(chainlinkRates({ chain: { id: base.id, call } }), 'ETH')
  expect(await read(async () => ({ ok: false, data: '0x' }))).toHaveProperty('error')
  expect(await read(async () => ({ ok: true, data: '0x' }))).toHaveProperty('error')
  expect(await read(() => Promise.reject(new Error('down')))).toHaveProperty('error')
  const negative = `0x${'0'.repeat(64)}${'f'.repeat(64)}${'0'.repeat(192)}` as const
  const counted = await read(async () => ({ ok: true, data: negative }))
  expect(counted).toMatchObject({ usdPerUnit: -1n, quotedAt: 0 })
})

test.each(
  networks,
)('on $name, the sources are asked for the euro and the tokens of the chain, and exchanges price each', ({
  id,
  tokens,
}) => {
  const own = Object.fromEntries(
    Object.entries(tokens).map(([symbol, { address }]) => [symbol, address as Wallet]),
  )
  const chain = describeNetwork(id, { factory: nativeAddress, tokens: own })
  const call = () => Promise.reject(new Error('nothing is called'))
  const sources = liveRates({ outbound, clock, chain: { ...chain, call } })
  const symbols = chain.tokens.map(({ symbol }) => symbol)
  for (const { codes } of sources) expect(['EUR', ...symbols]).toEqual(expect.arrayContaining([...codes]))
  const exchanges = sources.filter(({ name }) => name === 'coinbase' || name === 'kraken')
  expect(exchanges.flatMap(({ codes }) => codes)).toEqual(expect.arrayContaining(symbols))
})

test('a decimal text is read exactly, and rounded once beyond eight decimals', () => {
  expect(parseRateE8('1.083456785')).toBe(108_345_679n)
  expect(parseRateE8('0.000000005')).toBe(1n)
  expect(parseRateE8('0.0000000049')).toBe(0n)
  forAll(fc.bigInt(0n, 10n ** 20n - 1n), (value) => {
    const digits = value.toString().padStart(9, '0')
    expect(parseRateE8(`${digits.slice(0, -8)}.${digits.slice(-8)}`)).toBe(value)
  })
})
