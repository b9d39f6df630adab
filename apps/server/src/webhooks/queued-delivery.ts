import type { UnixMs } from '@sluice/protocol/time.ts'
import { count, optional, text, time } from '../platform/database/columns.ts'
import { table } from '../platform/database/table.ts'

export type DeliveryState = 'pending' | 'delivered' | 'superseded' | 'exhausted'

export type DueDelivery = {
  readonly merchant: string
  readonly id: string
  /** Host and port of the receiver. */
  readonly host: string
  readonly nextAt: UnixMs
  /** 0 for the first two attempts. Only deliveries in later cycles can be superseded. */
  readonly cycle: number
  /** Position among the merchant's due deliveries, from 1. */
  readonly place: number
}

/** A delivery that this process has claimed. Until the claim ends, no other process sends it. */
export type ClaimedDelivery = {
  readonly merchant: string
  readonly id: string
  readonly subject: string
  readonly sequence: bigint
  readonly brandKey: string
  readonly url: string
  readonly host: string
  readonly keyId: string
  readonly encryptedKey: string
  readonly idempotencyKey: string
  readonly body: string
  readonly deliveryId: string
  readonly attemptCount: number
  /** 0 for the first two attempts. */
  readonly cycle: number
  readonly createdAt: UnixMs
  readonly dueAt: UnixMs
  readonly claimToken: string
}

export type DeliveryAttempt = {
  readonly startedAt: UnixMs
  readonly endedAt: UnixMs
  /** HTTP status of the response, or `undefined` if none arrived. */
  readonly status: number | undefined
  /** Reason why no response arrived. */
  readonly error: string | undefined
  /** Absent if nothing was sent. */
  readonly exchange?: Exchange
}

export function isDelivered(attempt: DeliveryAttempt): boolean {
  return attempt.status !== undefined && attempt.status >= 200 && attempt.status < 300
}

/** Request and response of one attempt, with a bounded size. */
export type Exchange = {
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** First 4 KiB of the response body, as text. */
  readonly responseBody?: string
  readonly isResponseCut?: boolean
}

const maxHeaders = 40
const maxNameLength = 100
const maxValueLength = 512
const maxBodyBytes = 4 * 1024

export function keepExchange(
  requestHeaders: Readonly<Record<string, string>>,
  response: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } | undefined,
): Exchange {
  if (!response) return { requestHeaders }
  const headers = Object.entries(response.headers)
    .slice(0, maxHeaders)
    .map(([name, value]) => [cut(name, maxNameLength), cut(value, maxValueLength)])
  const body = Buffer.from(response.body.subarray(0, maxBodyBytes)).toString()
  return {
    requestHeaders,
    responseHeaders: Object.fromEntries(headers),
    responseBody: printable(body),
    isResponseCut: response.body.byteLength > maxBodyBytes,
  }
}

function cut(text: string, length: number): string {
  return printable(text.slice(0, length))
}

/** PostgreSQL rejects NUL and lone surrogates. */
function printable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}')
}

export type StoredAttempt = {
  readonly messageId: string
  readonly attempt: number
  readonly deliveryId: string
  readonly startedAt: UnixMs
  readonly durationMs: number
  /** HTTP status of the response; `undefined` if none arrived. `error` then contains the reason. */
  readonly status: number | undefined
  readonly error: string | undefined
}

/** Columns of a delivery attempt without its request and response. */
export const attemptTable = table<StoredAttempt>('delivery_attempt', {
  messageId: text(),
  attempt: count(),
  deliveryId: text(),
  startedAt: time(),
  durationMs: count(),
  status: optional(count()),
  error: optional(text()),
})
