import { afterEach, describe, expect, test } from 'vitest'
import type { Outbound, OutboundOutcome, OutboundRequest } from '../../../src/platform/outbound/outbound.ts'
import { farChain } from '../../support/chain/far-chain.ts'
import { measureOwnMs } from '../../support/programs/waited-for-processor.ts'
import { always } from '../../support/worlds/chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from '../../support/worlds/payment-world.ts'

/** What an endpoint does to a request; `undefined` lets it through. */
type Meddle = (
  request: OutboundRequest,
  send: () => Promise<OutboundOutcome>,
) => Promise<OutboundOutcome> | undefined

let world: PaymentWorld
const far = farChain()
let meddle: Meddle = () => undefined
afterEach(async () => {
  far.isFar = false
  meddle = () => undefined
  await world?.stop()
})

async function start(options: Parameters<typeof startPaymentWorld>[0] = {}) {
  const meddling = (real: Outbound): Outbound => ({
    request: (request) => meddle(request, () => real.request(request)) ?? real.request(request),
  })
  const outbound = (real: Outbound) => far.over(meddling(real))
  world = await startPaymentWorld({ policy: always('seen'), ...options, outbound })
  far.isFar = true
}

const away: OutboundOutcome = { kind: 'fault', fault: 'network', detail: 'ECONNREFUSED' }

test('ten minutes without the chain are caught up within thirty seconds, and nothing is missed', async () => {
  await start()
  const ids = Array.from({ length: 20 }, (_, i) => `away-${i}`)
  const attempts = []
  for (const [i, id] of ids.entries()) {
    await world.newReceipt(id, 20)
    attempts.push(await world.attempt(id, i % 2 === 0 ? 'ETH' : 'USDT'))
  }
  meddle = async () => away
  await world.scan()
  for (const [i, attempt] of attempts.entries()) {
    await world.pay(attempt, i % 3 === 0 ? 'call' : 'transfer')
    await world.mine(30)
    await world.scan()
  }
  expect(world.logged.filter(({ msg }) => String(msg).includes('cannot be read'))).toHaveLength(1)
  meddle = () => undefined
  const ownMs = measureOwnMs()
  await world.scan()
  expect(ownMs()).toBeLessThan(30_000)
  for (const id of ids) expect(await world.status(id)).toBe('paid')
})

test('answers that are cut off, empty, broken or of another form delay and lose nothing', async () => {
  await start()
  const spoilt: ((body: Uint8Array) => Uint8Array)[] = [
    (body) => body.subarray(0, body.length >> 1),
    () => new Uint8Array(),
    () => Buffer.from('<html>bad gateway</html>'),
    () => Buffer.from('null'),
    () => Buffer.from('[]'),
    (body) => Buffer.from(Buffer.from(body).toString().replaceAll('"0x', '"0z')),
    (body) => Buffer.from(Buffer.from(body).toString().replaceAll('"result"', '"outcome"')),
    (body) =>
      Buffer.from(
        Buffer.from(body)
          .toString()
          .replace(/"id":\d+/g, '"id":7'),
      ),
    (body) =>
      Buffer.from(
        Buffer.from(body)
          .toString()
          .replace(/"blockHash":"0x../g, '"blockHash":"0x00'),
      ),
  ]
  let turn = 0
  for (let i = 0; i < spoilt.length; i++) {
    const id = `spoilt-${i}`
    await world.newReceipt(id, 20)
    await world.pay(await world.attempt(id, i % 2 === 0 ? 'USDC' : 'ETH'), i % 3 === 0 ? 'call' : 'transfer')
    await world.mine(3)
    meddle = async (_, send) => {
      const outcome = await send()
      const spoil = spoilt[i]
      return outcome.kind === 'answer' && spoil && turn++ % 3 !== 0
        ? { ...outcome, body: spoil(outcome.body) }
        : outcome
    }
    for (let round = 0; round < 4; round++) await world.scan()
    meddle = () => undefined
    await world.scan()
    expect(await world.status(id)).toBe('paid')
    expect(await world.notices(id)).toHaveLength(1)
  }
})

test('a provider that refuses wide ranges or large answers is asked for less', async () => {
  await start()
  await world.newReceipt('narrow', 20)
  await world.pay(await world.attempt('narrow', 'USDC'), 'transfer')
  await world.mine(90)
  let refused = 0
  meddle = async (request, send) => {
    const logs = /"eth_getLogs".*"fromBlock":"(0x[0-9a-f]+)","toBlock":"(0x[0-9a-f]+)"/.exec(
      request.body ?? '',
    )
    if (!logs || Number(logs[2]) - Number(logs[1]) < 5) return send()
    refused += 1
    if (refused % 2 === 0) return { kind: 'fault', fault: 'too-large', detail: 'over' }
    const error = { code: -32005, message: 'query returned more than 10000 results' }
    const [first] = JSON.parse(request.body ?? '[]')
    const body = Buffer.from(JSON.stringify([{ jsonrpc: '2.0', id: first.id, error }]))
    return { kind: 'answer', status: 200, headers: {}, body }
  }
  await world.scan()
  expect(refused).toBeGreaterThan(10)
  expect(await world.status('narrow')).toBe('paid')
})

test('an endpoint of another chain is said once, and once again when it is right', async () => {
  await start()
  meddle = async (request, send) => {
    const outcome = await send()
    if (outcome.kind === 'fault' || !request.body?.includes('eth_chainId')) return outcome
    const body = Buffer.from(Buffer.from(outcome.body).toString().replace('"0x7a69"', '"0x1"'))
    return { ...outcome, body }
  }
  await world.api.clock.advance(120_000)
  for (let round = 0; round < 20; round++) await world.scan()
  expect(world.logged.filter(({ alert }) => alert === 'wrong-chain')).toHaveLength(1)
  meddle = () => undefined
  await world.newReceipt('right-again', 20)
  await world.pay(await world.attempt('right-again', 'USDC'), 'transfer')
  await world.mine()
  await world.scan()
  expect(await world.status('right-again')).toBe('paid')
})

describe('of two endpoints', () => {
  const other = (url: string) => `${url}/?other`
  const isOther = (request: OutboundRequest) => request.url.endsWith('other')
  const startTwo = () => start({ endpoints: (url) => [url, other(url)] })

  test('one that hides logs holds everything back, and somebody is alerted', async () => {
    await startTwo()
    await world.newReceipt('hidden', 20)
    await world.pay(await world.attempt('hidden', 'USDC'), 'transfer')
    await world.mine(2)
    meddle = async (request, send) => {
      const outcome = await send()
      if (!isOther(request) || !request.body?.includes('eth_getLogs') || outcome.kind === 'fault')
        return outcome
      const answers = JSON.parse(Buffer.from(outcome.body).toString()) as { result: unknown }[]
      return {
        ...outcome,
        body: Buffer.from(JSON.stringify(answers.map((each) => ({ ...each, result: [] })))),
      }
    }
    await world.scan()
    expect(await world.status('hidden')).toBe('pending')
    expect(world.logged.map(({ alert }) => alert)).toContain('endpoints-disagree')
    meddle = () => undefined
    await world.scan()
    expect(await world.status('hidden')).toBe('paid')
  })

  test('with one gone, what the other calls final counts, and nothing above it', async () => {
    await startTwo()
    await world.newReceipt('alone', 20)
    await world.pay(await world.attempt('alone', 'ETH'), 'transfer')
    await world.mine()
    meddle = (request) => (isOther(request) ? Promise.resolve(away) : undefined)
    await world.scan()
    await world.mine(2)
    await world.api.clock.advance(5_000)
    await world.scan()
    expect(await world.status('alone')).toBe('pending')
    await world.mine(2)
    await world.api.clock.advance(5_000)
    await world.scan()
    expect(await world.status('alone')).toBe('paid')
  })

  test('one that serves another chain counts as gone', async () => {
    await startTwo()
    await world.api.clock.advance(61_000)
    meddle = async (request, send) => {
      const outcome = await send()
      if (!isOther(request) || outcome.kind === 'fault') return outcome
      return {
        ...outcome,
        body: Buffer.from(Buffer.from(outcome.body).toString().replace('"0x7a69"', '"0x1"')),
      }
    }
    await world.newReceipt('wrong', 20)
    await world.pay(await world.attempt('wrong', 'USDC'), 'call')
    await world.mine()
    await world.scan()
    expect(await world.status('wrong')).toBe('pending')
    expect(world.logged.map(({ alert }) => alert)).toContain('wrong-chain')
    await world.mine(4)
    await world.scan()
    expect(await world.status('wrong')).toBe('paid')
  })
})
