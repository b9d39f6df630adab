import { createHmac, timingSafeEqual } from 'node:crypto'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import type { Cents } from '@sluice/protocol/money.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { type Random, randomUuid, systemRandom } from '../../../src/kernel/random.ts'
import {
  type EventReading,
  type OnrampProvider,
  type OpenOutcome,
  type ProviderEvent,
  ProviderUnavailable,
  type SessionChange,
  type SessionOrder,
  type SessionReport,
  type SignedRequest,
} from '../../../src/onramp/provider.ts'
import type { TestClock } from '../test-clock.ts'
import { type MerchantApi, startMerchantApi } from './merchant-api.ts'
import type { ApiOptions } from './start-api.ts'

export async function startOnrampApi(options: ApiOptions = {}) {
  let clock: TestClock | undefined
  const provider = makePaperProvider(() => {
    if (!clock) throw new Error('the provider is asked once the service runs')
    return clock.now()
  })
  const api = await startMerchantApi({ onramp: [provider], ...options })
  clock = api.clock
  await api.addSplit(api.merchant.wallet)
  return addCards(api, provider)
}

export function addCards<Api extends MerchantApi>(api: Api, provider: PaperProvider) {
  const startCard = (id: string) =>
    api.call('POST', `/api/checkout/${encodeURIComponent(id)}/onramp?recipient=${api.merchant.wallet}`)
  const send = ({ body, headers }: PaperEvent) =>
    api.call('POST', `/api/onramp/events/${provider.name}`, { body, headers })
  return {
    ...api,
    provider,
    startCard,
    send,
    async newCardReceipt(fields?: object) {
      const id = await api.newReceipt(fields)
      const { status, body, text } = await startCard(id)
      if (status !== 201) throw new Error(text)
      return { id, sessionId: body.providerSessionId as string, attemptId: body.attemptId as string }
    },
    async report(sessionId: string, change: PaperChange) {
      const response = await send(provider.happen(sessionId, change))
      if (response.status !== 200) throw new Error(response.text)
    },
  }
}

export type PaperChange = Partial<Omit<SessionChange, 'error'>> &
  Pick<SessionChange, 'kind'> & { readonly errorCode?: string; readonly requestId?: string }

export type PaperEvent = { readonly body: string; readonly headers: Record<string, string> }

/** An in-memory provider of card and bank payments. The test acts for buyers and banks. */
export type PaperProvider = OnrampProvider & {
  readonly orders: Map<string, SessionOrder>
  readonly calls: { open: number; find: number; list: number }
  /** Changes a session. Returns the signed event, which the test may send. */
  happen(sessionId: string, change: PaperChange): PaperEvent
  sign(body: string, at?: UnixMs): PaperEvent
  /** Makes the next calls fail. With `lose-response`, the session is still created. */
  fail(how: 'away' | 'refuse' | 'lose-response' | 'hang' | undefined): void
  last(): string
}

const ownCodes = Object.fromEntries(
  (Object.keys(failures) as FailureCode[]).map((code) => [paperCode(code), code]),
)

/** Returns the provider's code for a failure: `paper_bank_policy` for `PORTAL_PAY_BANK_POLICY`. */
export function paperCode(code: string): string {
  return `paper_${code.replace(/^PORTAL_(PAY_)?/, '').toLowerCase()}`
}

const secret = 'a secret between the paper provider and the tests'

export function makePaperProvider(
  now: () => UnixMs,
  more: Partial<OnrampProvider> = {},
  random: Random = systemRandom,
): PaperProvider {
  const orders = new Map<string, SessionOrder>()
  const opened = new Map<string, UnixMs>()
  const states = new Map<string, SessionChange>()
  const calls = { open: 0, find: 0, list: 0 }
  let failing: 'away' | 'refuse' | 'lose-response' | 'hang' | undefined

  const report = (sessionId: string): SessionReport | undefined => {
    const order = orders.get(sessionId)
    return order && { sessionId, reference: order.reference, change: states.get(sessionId) ?? nothing(now()) }
  }
  const away = () => {
    if (failing === 'away') throw new ProviderUnavailable('The payment provider does not answer')
  }
  const sign: PaperProvider['sign'] = (body, at = now()) => ({
    body,
    headers: {
      'content-type': 'application/json',
      'paper-signature': `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`,
    },
  })
  return {
    name: 'paper',
    methods: ['card', 'ach'],
    limits: { minCents: 100n as Cents, maxCents: 500_000n as Cents },
    failureCodes: ownCodes,
    orders,
    calls,
    sign,
    fail(how) {
      failing = how
    },
    last: () => [...orders.keys()].at(-1) ?? '',
    happen(sessionId, { errorCode, requestId, ...change }) {
      const error = { errorCode: errorCode ?? null, requestId: requestId ?? null }
      const whole: SessionChange = { ...nothing(now()), ...change, error: errorCode ? error : undefined }
      states.set(sessionId, whole)
      const { sourceCents } = whole
      const event = { id: `evt_${randomUuid(random)}`, type: `paper.${change.kind}`, sessionId, at: whole.at }
      const reference = orders.get(sessionId)?.reference
      return sign(
        JSON.stringify({ ...event, reference, change: { ...whole, sourceCents: sourceCents?.toString() } }),
      )
    },
    async openSession(order, { signal }): Promise<OpenOutcome> {
      calls.open++
      signal.throwIfAborted()
      away()
      if (failing === 'hang') await new Promise(() => {})
      if (failing === 'refuse')
        return { kind: 'refused', error: { errorCode: 'location_not_supported', requestId: 'req_refused1' } }
      const known = [...orders].find(([, each]) => each.reference === order.reference)
      const sessionId = known?.[0] ?? `ps_${randomUuid(random)}`
      if (!known) {
        orders.set(sessionId, order)
        opened.set(sessionId, now())
      }
      if (failing === 'lose-response') throw new ProviderUnavailable('The answer of the provider was lost')
      return { kind: 'opened', sessionId, hostedUrl: `https://paper.example/${sessionId}` }
    },
    readEvent: async (request) => readEvent(request),
    async findSession(sessionId) {
      calls.find++
      away()
      return report(sessionId)
    },
    async listSessions({ openedSince, cursor }) {
      calls.list++
      away()
      const ids = [...opened].filter(([, at]) => at >= openedSince).map(([id]) => id)
      const from = Number(cursor ?? 0)
      const next = from + 2 < ids.length ? String(from + 2) : undefined
      return { sessions: ids.slice(from, from + 2).flatMap((id) => report(id) ?? []), nextCursor: next }
    },
    ...more,
  }
}

const nothing = (at: UnixMs): SessionChange => ({
  kind: 'opened',
  at,
  error: undefined,
  sourceCents: undefined,
  transactionHash: undefined,
})

function readEvent({ body, headers, now, toleranceMs }: SignedRequest): EventReading {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['paper-signature'] ?? ''))
  if (!match) return { kind: 'refused', because: 'signature' }
  const [, at = '', signature = ''] = match
  const wanted = createHmac('sha256', secret).update(`${at}.`).update(body).digest()
  if (!timingSafeEqual(wanted, Buffer.from(signature, 'hex')))
    return { kind: 'refused', because: 'signature' }
  if (Number(at) < addMs(now, -toleranceMs) || Number(at) > addMs(now, toleranceMs))
    return { kind: 'refused', because: 'time' }
  const { id, type, at: happenedAt, sessionId, reference, change } = JSON.parse(Buffer.from(body).toString())
  const cents = change?.sourceCents
  const event: ProviderEvent = {
    id,
    type,
    at: happenedAt,
    report: change && {
      sessionId,
      reference,
      change: { ...change, sourceCents: cents === undefined ? undefined : (BigInt(cents) as Cents) },
    },
  }
  return { kind: 'event', event }
}
