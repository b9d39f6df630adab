import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import {
  type OnrampProvider,
  type ProviderCall,
  ProviderUnavailable,
  type SessionChangeKind,
  type SessionOrder,
  type SessionReport,
  type SignedRequest,
} from '../../../src/onramp/provider.ts'

/** A buyer's action in the provider's form, or a later action by the bank. */
export type Happening =
  | { readonly kind: 'pays-by-card' }
  | { readonly kind: 'is-declined'; readonly errorCode: string }
  /** Only for providers that support bank payments. */
  | { readonly kind: 'pays-by-bank' | 'bank-settles' | 'bank-returns' }
  /** A status that this service does not know. */
  | { readonly kind: 'unheard-of' }

export type ProviderBench = {
  readonly provider: OnrampProvider
  readonly now: () => UnixMs
  /** Performs an action. Returns the provider's HTTP events about it, in order. */
  happens(session: SessionReport, happening: Happening): Promise<Pick<SignedRequest, 'body' | 'headers'>[]>
  /** One of the provider's decline codes that the service knows. */
  readonly knownDecline: string
  /** An order that the provider rejects, or `undefined` if it rejects none. */
  readonly refusedOrder: ((order: SessionOrder) => SessionOrder) | undefined
  /** Makes the provider's servers unreachable during `work`. `undefined` if the provider has no servers. */
  readonly withoutServers: (<T>(work: () => Promise<T>) => Promise<T>) | undefined
}

const toleranceMs = 300_000
const call = (): ProviderCall => ({ signal: new AbortController().signal })
let orders = 0

export function sampleOrder(more: Partial<SessionOrder> = {}): SessionOrder {
  return {
    reference: `01TEST${String(++orders).padStart(20, '0')}`,
    amount: { asset: 'USDC', units: 25_000_000n as TokenUnits, decimals: 6 },
    dueCents: 2_500n as Cents,
    chainId: 31_337,
    tokenAddress: `0x${'11'.repeat(20)}` as Wallet,
    depositAddress: `0x${'22'.repeat(20)}` as Wallet,
    redirectUrl: 'https://shop.example/back',
    email: 'buyer@example.com',
    billing: { firstName: 'Ada', lastName: 'Lovelace', country: 'US', zip: '10001' },
    clientAddress: '203.0.113.7',
    ...more,
  }
}

/**
 * Defines the tests of the guarantees that the service requires of every provider. Call it in the provider's
 * test file.
 */
export function testProvider(bench: () => ProviderBench): void {
  testOpening(bench)
  testEvents(bench)
  testAsking(bench)
}

function testOpening(bench: () => ProviderBench): void {
  test('its name can stand in a URL, and its limits leave room for a payment', () => {
    const { name, limits, methods } = bench().provider
    expect(name).toMatch(/^[a-z]{2,32}$/)
    expect(limits.minCents > 0n && limits.minCents < limits.maxCents).toBe(true)
    expect(methods.length).toBeGreaterThan(0)
  })

  test('the same reference opens one session, however often and at the same moment', async () => {
    const order = sampleOrder()
    const opened = await Promise.all([order, order, order].map((each) => open(bench(), each)))
    opened.push(await open(bench(), order))
    expect(new Set(opened.map(({ sessionId }) => sessionId)).size).toBe(1)
    expect((await open(bench(), sampleOrder())).sessionId).not.toBe(opened[0]?.sessionId)
    expect(URL.canParse(opened[0]?.hostedUrl ?? '')).toBe(true)
  })

  test('what it does not take is refused with a structured code', async (context) => {
    const { provider, refusedOrder } = bench()
    if (!refusedOrder) return context.skip()
    const outcome = await provider.openSession(refusedOrder(sampleOrder()), call())
    expect(outcome).toMatchObject({ kind: 'refused', error: { errorCode: expect.stringMatching(/^\w+$/) } })
  })

  test('without its servers it is unavailable, and says nothing of the payment', async (context) => {
    const { provider, withoutServers } = bench()
    if (!withoutServers) return context.skip()
    await withoutServers(async () => {
      await expect(provider.openSession(sampleOrder(), call())).rejects.toThrow(ProviderUnavailable)
      await expect(provider.findSession('nothing', call())).rejects.toThrow(ProviderUnavailable)
    })
  })

  test('a call ends when it is aborted', async () => {
    const signal = AbortSignal.abort(new Error('time is over'))
    await expect(bench().provider.openSession(sampleOrder(), { signal })).rejects.toThrow()
  })
}

function testEvents(bench: () => ProviderBench): void {
  test('a card payment is accepted and then settled', async () => {
    const { kinds, session, reports } = await follow(bench(), { kind: 'pays-by-card' })
    expect(kinds.at(-1)).toBe('settled')
    for (const report of reports) expect(report).toMatchObject(session)
  })

  test('a decline names the structured code, as it is, with the reference of support', async () => {
    const errorCode = bench().knownDecline
    const { kinds, reports } = await follow(bench(), { kind: 'is-declined', errorCode })
    expect(kinds.at(-1)).toBe('failed')
    expect(reports.at(-1)?.change.error).toMatchObject({ errorCode })
    const { requestId } = reports.at(-1)?.change.error ?? {}
    if (requestId !== null) expect(requestId).toMatch(/^req_\w+$/)
  })

  test.for([
    'bank-settles',
    'bank-returns',
  ] as const)('a bank payment is pending until it %s', async (end, context) => {
    if (!bench().provider.methods.includes('ach')) return context.skip()
    const first = await follow(bench(), { kind: 'pays-by-bank' })
    expect(first.kinds.at(-1)).toBe('ach_pending')
    const last = await happen(bench(), first.session, { kind: end })
    expect(last.map(({ change }) => change.kind).at(-1)).toBe(end === 'bank-settles' ? 'settled' : 'returned')
  })

  test('a kind that nobody knows is an event without a change', async () => {
    const session = await openReport(bench())
    const [request] = await bench().happens(session, { kind: 'unheard-of' })
    const reading = request && (await read(bench(), request))
    expect(reading).toMatchObject({ kind: 'event', event: { id: expect.any(String), report: undefined } })
  })

  test('only the exact bytes of the provider are believed, within the tolerance', async () => {
    const session = await openReport(bench())
    const [request] = await bench().happens(session, { kind: 'pays-by-card' })
    if (!request) throw new Error('an event was sent')
    const changed = Buffer.from(request.body)
    changed.writeUInt8(changed.readUInt8(changed.length - 2) ^ 1, changed.length - 2)
    expect(await read(bench(), { ...request, body: changed })).toMatchObject({ kind: 'refused' })
    expect(await read(bench(), { ...request, headers: {} })).toMatchObject({ kind: 'refused' })
    expect(await read(bench(), { ...request, body: Buffer.alloc(0) })).toMatchObject({ kind: 'refused' })
    expect(await read(bench(), request, 2 * toleranceMs)).toMatchObject({ kind: 'refused' })
    const [one, two] = [await read(bench(), request), await read(bench(), request)]
    expect(one.kind).toBe('event')
    expect(two).toEqual(one)
  })
}

function testAsking(bench: () => ProviderBench): void {
  test('asked, it says of a session what its last event said', async () => {
    const { session, reports } = await follow(bench(), { kind: 'pays-by-card' })
    const found = await bench().provider.findSession(session.sessionId, call())
    const last = reports.at(-1)?.change
    expect(found).toMatchObject({ ...session, change: { kind: last?.kind, sourceCents: last?.sourceCents } })
  })

  test('a session that it does not know is not found', async () => {
    expect(await bench().provider.findSession('cos_nobody_has_this', call())).toBeUndefined()
  })

  test('its list names every session since a time, with our reference', async () => {
    const since = addMs(bench().now(), -1_000)
    const opened = [await openReport(bench()), await openReport(bench())]
    const listed: SessionReport[] = []
    let cursor: string | undefined
    do {
      const page = await bench().provider.listSessions({ openedSince: since, cursor }, call())
      expect(page.sessions.length).toBeLessThanOrEqual(100)
      listed.push(...page.sessions)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    for (const { sessionId, reference } of opened)
      expect(listed).toContainEqual(expect.objectContaining({ sessionId, reference }))
  })
}

type Known = Pick<SessionReport, 'sessionId' | 'reference'>

async function open({ provider }: ProviderBench, order: SessionOrder) {
  const outcome = await provider.openSession(order, call())
  if (outcome.kind !== 'opened') throw new Error(`refused: ${outcome.error.errorCode}`)
  return outcome
}

async function openReport(bench: ProviderBench): Promise<Known & SessionReport> {
  const order = sampleOrder()
  const { sessionId } = await open(bench, order)
  const found = await bench.provider.findSession(sessionId, call())
  expect(found).toMatchObject({ sessionId, reference: order.reference, change: { kind: 'opened' } })
  return { ...(found as SessionReport) }
}

async function follow(bench: ProviderBench, happening: Happening) {
  const opened = await openReport(bench)
  const reports = await happen(bench, opened, happening)
  const { sessionId, reference } = opened
  return {
    session: { sessionId, reference } as SessionReport,
    reports,
    kinds: reports.map(({ change }): SessionChangeKind => change.kind),
  }
}

async function happen(bench: ProviderBench, session: Known, happening: Happening): Promise<SessionReport[]> {
  const requests = await bench.happens(session as SessionReport, happening)
  const readings = await Promise.all(requests.map((request) => read(bench, request)))
  return readings.flatMap((reading) => {
    if (reading.kind === 'refused') throw new Error(`its own event was refused: ${reading.because}`)
    return reading.event.report ?? []
  })
}

function read({ provider, now }: ProviderBench, request: Pick<SignedRequest, 'body' | 'headers'>, later = 0) {
  return provider.readEvent({ ...request, now: addMs(now(), later), toleranceMs })
}
