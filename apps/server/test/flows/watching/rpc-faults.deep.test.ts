import type { Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { Outbound, OutboundOutcome, OutboundRequest } from '../../../src/platform/outbound/outbound.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { always, type ChainOptions } from '../../support/chain/chain-api.ts'
import { farChain } from '../../support/chain/endpoints.ts'
import { type PaymentContext, startPayments } from '../../support/chain/payments.ts'
import { measureOwnMs } from '../../support/programs/waited-for-processor.ts'

/** An endpoint's response to a request; `undefined` forwards the request. */
type Meddle = (
  request: OutboundRequest,
  send: (changed?: OutboundRequest) => Promise<OutboundOutcome>,
) => Promise<OutboundOutcome> | undefined

let context: PaymentContext
const far = farChain()
let meddle: Meddle = () => undefined
afterEach(async () => {
  far.isFar = false
  meddle = () => undefined
  await context?.stop()
})

async function start(options: ChainOptions = {}) {
  const meddling = (real: Outbound): Outbound => ({
    request: (request) =>
      meddle(request, (changed = request) => real.request(changed)) ?? real.request(request),
  })
  const outbound = (real: Outbound) => far.over(meddling(real))
  context = await startPayments({ policy: always('seen'), ...options, outbound })
  far.isFar = true
}

function change(outcome: OutboundOutcome, how: (text: string) => string): OutboundOutcome {
  if (outcome.kind === 'error') return outcome
  return { ...outcome, body: Buffer.from(how(Buffer.from(outcome.body).toString())) }
}
const changing =
  (isMeant: (request: OutboundRequest) => boolean | undefined, how: (text: string) => string): Meddle =>
  async (request, send) =>
    isMeant(request) ? change(await send(), how) : send()
const inOtherChain = (text: string) => text.replace('"0x7a69"', '"0x1"')

const away: OutboundOutcome = { kind: 'error', error: 'network', detail: 'ECONNREFUSED' }

test('ten minutes without the chain are caught up within thirty seconds, and nothing is missed', async () => {
  await start()
  const ids = Array.from({ length: 20 }, (_, i) => `away-${i}`)
  const attempts = []
  for (const [i, id] of ids.entries()) attempts.push(await context.open(id, 20, i % 2 === 0 ? 'ETH' : 'USDT'))
  meddle = async () => away
  await context.scan()
  for (const [i, attempt] of attempts.entries()) {
    await context.pay(attempt, i % 3 === 0 ? 'call' : 'transfer')
    await context.mineAndScan(30)
  }
  expect(context.logged.filter(({ msg }) => String(msg).includes('cannot be read'))).toHaveLength(1)
  meddle = () => undefined
  const ownMs = measureOwnMs()
  await context.scan()
  const ms = Math.round(ownMs())
  console.log(`ten minutes without the chain caught up in ${ms} ms`)
  expect(ms).toBeLessThan(30_000)
  for (const id of ids) expect(await context.status(id)).toBe('paid')
})

test('answers that are cut off, empty, broken or of another form delay and lose nothing', async () => {
  await start()
  const spoilt: ((text: string) => string)[] = [
    (text) => text.slice(0, text.length >> 1),
    () => '',
    () => '<html>bad gateway</html>',
    () => 'null',
    () => '[]',
    (text) => text.replaceAll('"0x', '"0z'),
    (text) => text.replaceAll('"result"', '"outcome"'),
    (text) => text.replace(/"id":\d+/g, '"id":7'),
    (text) => text.replace(/"blockHash":"0x../g, '"blockHash":"0x00'),
  ]
  let turn = 0
  for (const [i, spoil] of spoilt.entries()) {
    const id = `spoilt-${i}`
    await context.pay(
      await context.open(id, 20, i % 2 === 0 ? 'USDC' : 'ETH'),
      i % 3 === 0 ? 'call' : 'transfer',
    )
    await context.mine(3)
    meddle = changing(() => turn++ % 3 !== 0, spoil)
    for (let round = 0; round < 4; round++) await context.scan()
    meddle = () => undefined
    await context.scan()
    expect(await context.status(id)).toBe('paid')
    expect(await context.messages(id)).toHaveLength(1)
  }
})

test('a provider that refuses wide ranges or large answers is asked for less', async () => {
  await start()
  await context.pay(await context.open('narrow', 20, 'USDC'), 'transfer')
  await context.mine(90)
  let refused = 0
  meddle = async (request, send) => {
    const range = /"eth_getLogs".*"fromBlock":"(0x[0-9a-f]+)","toBlock":"(0x[0-9a-f]+)"/
    const [, from, to] = range.exec(request.body ?? '') ?? []
    if (from === undefined || Number(to) - Number(from) < 5) return send()
    refused += 1
    if (refused % 2 === 0) return { kind: 'error', error: 'too-large', detail: 'over' }
    const error = { code: -32005, message: 'query returned more than 10000 results' }
    const [first] = JSON.parse(request.body ?? '[]')
    const body = Buffer.from(JSON.stringify([{ jsonrpc: '2.0', id: first.id, error }]))
    return { kind: 'response', status: 200, headers: {}, body }
  }
  await context.scan()
  expect(refused).toBeGreaterThan(10)
  expect(await context.status('narrow')).toBe('paid')
})

test('an endpoint of another chain is said once, and once again when it is right', async () => {
  await start()
  meddle = changing(({ body }) => body?.includes('eth_chainId'), inOtherChain)
  await context.api.clock.advance(120_000)
  for (let round = 0; round < 20; round++) await context.scan()
  expect(context.alerts().filter((alert) => alert === 'wrong-chain')).toHaveLength(1)
  meddle = () => undefined
  await context.payAndScan(await context.open('right-again', 20, 'USDC'), 'transfer')
  expect(await context.status('right-again')).toBe('paid')
})

test('a balance of newer state than asked for does not count a payment twice', async () => {
  await start()
  const attempt = await context.open('read-ahead', 20, 'ETH')
  await context.mine()
  let isPaid = false
  const asking = /eth_getBalance|4d2301cc/
  meddle = async (request, send) => {
    if (isPaid || !asking.test(request.body ?? '')) return send()
    isPaid = true
    await context.pay(attempt, 'transfer')
    await context.mine()
    return send({ ...request, body: (request.body ?? '').replace(/,"0x[0-9a-f]{1,16}"\]/g, ',"latest"]') })
  }
  await context.scan()
  await context.mineAndScan(2)
  expect(isPaid).toBe(true)
  expect(await context.status('read-ahead')).toBe('paid')
  const text = 'SELECT count(*)::int AS count FROM payment WHERE merchant = $1 AND receipt_id = $2'
  expect(await context.rows(text, [context.merchant.wallet, 'read-ahead'])).toEqual([{ count: 1 }])
})

describe('a log that only a list of logs has', () => {
  type Log = Record<string, unknown>
  function meddleWithLogs(deposit: string, change: (logs: Log[]) => Log[]): void {
    const word = deposit.slice(2).toLowerCase()
    meddle = async (request, send) => {
      const outcome = await send()
      if (outcome.kind === 'error') return outcome
      const calls = JSON.parse(request.body ?? '[]') as { id: number; method: string }[]
      const asked = new Set(calls.flatMap((call) => (JSON.stringify(call).includes(word) ? [call.id] : [])))
      const responses = JSON.parse(Buffer.from(outcome.body).toString()) as { id: number; result: unknown }[]
      const changed = responses.map((response) =>
        asked.has(response.id) && Array.isArray(response.result)
          ? { ...response, result: change(response.result as Log[]) }
          : response,
      )
      return { ...outcome, body: Buffer.from(JSON.stringify(changed)) }
    }
  }

  test.each([
    ['of no transaction', { transactionHash: `0x${'de'.repeat(32)}` }],
    ['at no place of its transaction', { logIndex: '0x63' }],
    ['with another amount', { data: `0x${(20_000_000).toString(16).padStart(64, '0')}` }],
  ])('%s is not credited, and alerted; other payments of the block are credited, and so is what is true', async (_, lie) => {
    await start()
    const [cheated, honest] = [
      await context.open('cheated', 20, 'USDC'),
      await context.open('honest', 20, 'USDC'),
    ]
    await context.pay(honest, 'transfer')
    await context.pay(cheated, 'transfer', 19_000_000n)
    await context.mine()
    const receiver = `0x${cheated.depositAddress.slice(2).toLowerCase().padStart(64, '0')}`
    meddleWithLogs(cheated.depositAddress, (logs) =>
      logs.map((log) => ((log.topics as string[])[2] === receiver ? { ...log, ...lie } : log)),
    )
    await context.scan()
    expect(await context.status('honest')).toBe('paid')
    expect(await context.payment('cheated')).toMatchObject({ status: 'pending', received: '0' })
    expect(context.alerts()).toContain('log-unproven')
    meddle = () => undefined
    await context.mineAndScan(8)
    await context.api.run(jobNames.scanDistributions, jobNames.compareChain)
    expect(await context.payment('cheated')).toMatchObject({ status: 'pending', received: '19000000' })
  })

  test('about money sent straight to the split is applied to no receipt', async () => {
    await start()
    const { payTo } = await context.open('unpaid', 20, 'USDC')
    const { hash } = await context.transfer(context.tokenAddress('USDC'), payTo as Hex, 1n)
    await context.mine(8)
    meddleWithLogs(payTo, (logs) =>
      logs.map((log) => ({ ...log, data: `0x${(20_000_000).toString(16).padStart(64, '0')}` })),
    )
    await context.scan()
    await context.run(jobNames.scanDistributions)
    const [payment] = await context.cases(hash)
    expect(payment).toMatchObject({ reason: 'direct', amountRaw: '20000000' })
    const body = { action: 'apply', receiptId: 'unpaid' }
    expectApiError(
      await context.asOwner('POST', `/api/payments/unmatched/${payment?.id}`, body),
      400,
      'invalid_input',
    )
    expect(await context.status('unpaid')).toBe('pending')
    context.endsUneven('the books of the split have what only the list of logs had')
  })
})

describe('of two endpoints', () => {
  const other = (url: string) => `${url}/?other`
  const isOther = (request: OutboundRequest) => request.url.endsWith('other')
  const startTwo = () => start({ endpoints: (url) => [url, other(url)] })

  test('one that hides logs holds everything back, and somebody is alerted', async () => {
    await startTwo()
    await context.pay(await context.open('hidden', 20, 'USDC'), 'transfer')
    await context.mine(2)
    // Changes only lists of logs, not blocks in the same response.
    const withoutLogs = (text: string) =>
      JSON.stringify(
        JSON.parse(text).map((each: { result: unknown }) =>
          Array.isArray(each.result) ? { ...each, result: [] } : each,
        ),
      )
    meddle = changing((request) => isOther(request) && request.body?.includes('eth_getLogs'), withoutLogs)
    await context.scan()
    expect(await context.status('hidden')).toBe('pending')
    expect(context.alerts()).toContain('endpoints-disagree')
    meddle = () => undefined
    await context.scan()
    expect(await context.status('hidden')).toBe('paid')
  })

  test('with one gone, what the other calls final counts, and nothing above it', async () => {
    await startTwo()
    await context.pay(await context.open('alone', 20, 'ETH'), 'transfer')
    await context.mine()
    meddle = (request) => (isOther(request) ? Promise.resolve(away) : undefined)
    await context.scan()
    await context.mine(2)
    await context.api.clock.advance(5_000)
    await context.scan()
    expect(await context.status('alone')).toBe('pending')
    await context.mine(2)
    await context.api.clock.advance(5_000)
    await context.scan()
    expect(await context.status('alone')).toBe('paid')
  })

  test('one that serves another chain counts as gone', async () => {
    await startTwo()
    await context.api.clock.advance(61_000)
    meddle = changing(isOther, inOtherChain)
    await context.payAndScan(await context.open('wrong', 20, 'USDC'), 'call')
    expect(await context.status('wrong')).toBe('pending')
    expect(context.alerts()).toContain('wrong-chain')
    await context.mineAndScan(4)
    expect(await context.status('wrong')).toBe('paid')
  })
})
