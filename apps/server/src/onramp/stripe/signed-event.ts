import type { UnixMs } from '@sluice/protocol/time.ts'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { EventReading, SessionReport, SignedRequest } from '../provider.ts'
import { loadStripe } from './http-client.ts'
import type { StripeNetwork } from './order-form.ts'
import { readSession } from './session-object.ts'
import { stateSession } from './state-session.ts'

export type EventNeeds = {
  readonly webhookSecret: string
  readonly network: StripeNetwork
  /** True if the secret key is a live key. Events from the other mode are ignored. */
  readonly isLive: boolean
}

export const signatureHeader = 'stripe-signature'

/** The documentation uses both names. */
const sessionEvents = ['crypto.onramp_session.updated', 'crypto.onramp_session_updated']

export function readStripeEvent(needs: EventNeeds, request: SignedRequest): EventReading {
  const { body, headers, now, toleranceMs } = request
  const header = headers[signatureHeader]
  if (typeof header !== 'string' || body.byteLength === 0) return { kind: 'refused', because: 'signature' }
  // The SDK treats a tolerance of 0 as unlimited, and accepts any future time.
  const tolerance = Math.max(1, Math.floor(toleranceMs / 1_000))
  const isInTime = Math.abs(now - timeOf(header)) <= Math.max(1_000, toleranceMs)
  const Stripe = loadStripe()
  let value: unknown
  try {
    value = Stripe.webhooks.constructEvent(body, header, needs.webhookSecret, tolerance, undefined, now)
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeSignatureVerificationError))
      return { kind: 'refused', because: 'format' }
    return { kind: 'refused', because: isInTime ? 'signature' : 'time' }
  }
  if (!isInTime) return { kind: 'refused', because: 'time' }
  if (!envelope.Check(value)) return { kind: 'refused', because: 'format' }
  const { id, type, created } = value
  const at = (created * 1_000) as UnixMs
  return { kind: 'event', event: { id, type, at, report: reportOf(needs, value, at) } }
}

/** Returns the signed time. If there are several values, uses the last one, as the SDK does. */
function timeOf(header: string): number {
  const times = header.split(',').flatMap((part) => (part.startsWith('t=') ? [part.slice(2)] : []))
  return Number.parseInt(times.at(-1) ?? '', 10) * 1_000
}

const envelope = Compile(
  Type.Object({
    id: Type.String({ minLength: 1, maxLength: 128 }),
    type: Type.String({ minLength: 1, maxLength: 128 }),
    created: Type.Integer({ minimum: 0, maximum: 1e11 }),
    livemode: Type.Optional(Type.Boolean()),
    request: Type.Optional(Type.Unknown()),
    data: Type.Optional(Type.Object({ object: Type.Unknown() })),
  }),
)

type Envelope = {
  readonly type: string
  readonly livemode?: boolean
  readonly request?: unknown
  readonly data?: { readonly object: unknown }
}

function reportOf(
  { network, isLive }: EventNeeds,
  { type, livemode, request, data }: Envelope,
  at: UnixMs,
): SessionReport | undefined {
  if (!sessionEvents.includes(type) || livemode !== isLive) return undefined
  const session = readSession(data?.object)
  if (!session || session.livemode !== isLive) return undefined
  return stateSession(session, network, { eventAt: at, askedAt: at, requestId: requestIdOf(request) })
}

function requestIdOf(request: unknown): string | null {
  if (typeof request === 'string') return request
  const { id } = (request ?? {}) as { readonly id?: unknown }
  return typeof id === 'string' ? id : null
}
