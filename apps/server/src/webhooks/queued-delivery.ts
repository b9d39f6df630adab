import type { UnixMs } from '@sluice/protocol/time.ts'
import { count, optional, text, time } from '../platform/database/columns.ts'
import { table } from '../platform/database/table.ts'

/** Where a notice stands: only a pending one is sent again. */
export type DeliveryState = 'pending' | 'delivered' | 'superseded' | 'exhausted'

/** A due notice as the choice of what to send next sees it. */
export type DueDelivery = {
  readonly merchant: string
  readonly id: string
  /** Host and port of the receiver. */
  readonly host: string
  readonly nextAt: UnixMs
  /** 0 for the first two attempts: only later ones may be superseded. */
  readonly cycle: number
  /** From 1: its place among the merchant's due notices. */
  readonly place: number
}

/** A notice this process has claimed: until the claim ends nobody else sends it. */
export type ClaimedDelivery = {
  readonly merchant: string
  readonly id: string
  readonly subject: string
  readonly sequence: bigint
  readonly brandKey: string
  readonly url: string
  readonly host: string
  readonly keyId: string
  readonly sealedKey: string
  readonly idempotencyKey: string
  readonly body: string
  readonly deliveryId: string
  /** Attempts made so far. */
  readonly attemptCount: number
  /** 0 for the first two attempts. */
  readonly cycle: number
  readonly createdAt: UnixMs
  readonly dueAt: UnixMs
  readonly claimToken: string
}

/** One attempt, ended: delivered exactly when `status` is 2xx. */
export type DeliveryAttempt = {
  readonly startedAt: UnixMs
  readonly endedAt: UnixMs
  /** The receiver's; `undefined` where no answer came. */
  readonly status: number | undefined
  /** Why no answer came. */
  readonly fault: string | undefined
  /** Absent where nothing was sent. */
  readonly exchange?: Exchange
}

/** Whether the receiver has taken the notice (contract: Events, Delivery). */
export function isDelivered(attempt: DeliveryAttempt): boolean {
  return attempt.status !== undefined && attempt.status >= 200 && attempt.status < 300
}

/** What was said in one attempt to deliver: kept for the merchant, and bounded whatever the receiver answers. */
export type Exchange = {
  readonly requestHeaders: Readonly<Record<string, string>>
  /** Absent where no answer came. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** Its beginning, as text. */
  readonly responseBody?: string
  readonly isResponseCut?: boolean
}

const maxHeaders = 40
const maxNameLength = 100
const maxValueLength = 512
const maxBodyBytes = 4 * 1024

/** What is kept of an attempt. */
export function keepExchange(
  requestHeaders: Readonly<Record<string, string>>,
  answer: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } | undefined,
): Exchange {
  if (!answer) return { requestHeaders }
  const headers = Object.entries(answer.headers)
    .slice(0, maxHeaders)
    .map(([name, value]) => [cut(name, maxNameLength), cut(value, maxValueLength)])
  const body = Buffer.from(answer.body.subarray(0, maxBodyBytes)).toString()
  return {
    requestHeaders,
    responseHeaders: Object.fromEntries(headers),
    responseBody: printable(body),
    isResponseCut: answer.body.byteLength > maxBodyBytes,
  }
}

function cut(text: string, length: number): string {
  return printable(text.slice(0, length))
}

/** The database takes no NUL and no half of a sign. */
function printable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}')
}

/** A stored attempt. */
export type StoredAttempt = {
  readonly noticeId: string
  readonly attempt: number
  readonly deliveryId: string
  readonly startedAt: UnixMs
  readonly durationMs: number
  /** HTTP status of the response; `undefined` if none arrived. `fault` then has the reason. */
  readonly status: number | undefined
  readonly fault: string | undefined
}

export const attemptTable = table<StoredAttempt>('delivery_attempt', {
  noticeId: text(),
  attempt: count(),
  deliveryId: text(),
  startedAt: time(),
  durationMs: count(),
  status: optional(count()),
  fault: optional(text()),
})
