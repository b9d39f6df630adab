import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Cents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { EventReading, SessionReport, SignedRequest } from '../provider.ts'
import type { SandboxSession } from './session.ts'

/** Header with the time and signature of an event: `t=<Unix ms>,v1=<hex>`. */
export const signatureHeader = 'sandbox-signature'

export function writeEvent(id: string, session: SandboxSession): string {
  const { stateAt, sourceCents, errorCode, requestId, transactionHash } = session
  return JSON.stringify({
    id,
    type: `onramp_session.${session.state}`,
    created: stateAt,
    session: {
      id: session.id,
      reference: session.reference,
      state: session.state,
      sourceCents: sourceCents === undefined ? null : Number(sourceCents),
      errorCode: errorCode ?? null,
      requestId: requestId ?? null,
      transactionHash: transactionHash ?? null,
    },
  })
}

export function signEvent(secret: string, body: string, now: UnixMs): Record<string, string> {
  return { [signatureHeader]: `t=${now},v1=${hmac(secret, `${now}`, Buffer.from(body)).toString('hex')}` }
}

/** Verifies the signature of a request, then parses its body. */
export function readSignedEvent(secret: string, request: SignedRequest): EventReading {
  const header = request.headers[signatureHeader]
  const [, time, signature] =
    /^t=(\d{1,15}),v1=([0-9a-f]{64})$/.exec(typeof header === 'string' ? header : '') ?? []
  if (time === undefined || signature === undefined) return { kind: 'refused', because: 'signature' }
  const expected = hmac(secret, time, request.body)
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex')))
    return { kind: 'refused', because: 'signature' }
  if (Math.abs(request.now - Number(time)) > request.toleranceMs) return { kind: 'refused', because: 'time' }
  const event = parse(request.body)
  if (!event) return { kind: 'refused', because: 'format' }
  const { id, type, created } = event
  return { kind: 'event', event: { id, type, at: created as UnixMs, report: reportOf(event) } }
}

function hmac(secret: string, time: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest()
}

const nullable = (maxLength: number) => Type.Union([Type.String({ maxLength }), Type.Null()])
const knownState = Type.Enum(['opened', 'failed', 'ach_pending', 'returned', 'accepted', 'settled'])
const envelope = Compile(
  Type.Object({
    id: Type.String({ minLength: 1, maxLength: 128 }),
    type: Type.String({ minLength: 1, maxLength: 128 }),
    created: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  }),
)
const sessionEvent = Compile(
  Type.Object({
    session: Type.Object({
      id: Type.String({ minLength: 1, maxLength: 128 }),
      reference: Type.String({ minLength: 1, maxLength: 128 }),
      state: knownState,
      sourceCents: Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]),
      errorCode: nullable(128),
      requestId: nullable(128),
      transactionHash: nullable(128),
    }),
  }),
)

type Envelope = { readonly id: string; readonly type: string; readonly created: number }

function parse(body: Uint8Array): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString())
    return envelope.Check(value) ? value : undefined
  } catch {
    return undefined
  }
}

function reportOf(event: Envelope): SessionReport | undefined {
  if (!sessionEvent.Check(event)) return undefined
  const { id, reference, state, sourceCents, errorCode, requestId, transactionHash } = event.session
  if (event.type !== `onramp_session.${state}`) return undefined
  const isFailure = state === 'failed' || state === 'returned'
  return {
    sessionId: id,
    reference,
    change: {
      kind: state,
      at: event.created as UnixMs,
      error: isFailure ? { errorCode, requestId } : undefined,
      sourceCents: sourceCents === null ? undefined : (BigInt(sourceCents) as Cents),
      transactionHash: transactionHash ?? undefined,
    },
  }
}

export function stateSession(session: SandboxSession): SessionReport {
  const { id, reference, state, stateAt: at, sourceCents, errorCode, requestId, transactionHash } = session
  const isFailure = state === 'failed' || state === 'returned'
  return {
    sessionId: id,
    reference,
    change: {
      kind: state,
      at,
      error: isFailure ? { errorCode: errorCode ?? null, requestId: requestId ?? null } : undefined,
      sourceCents,
      transactionHash,
    },
  }
}
