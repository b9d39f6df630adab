import type { Tenant } from '../../../support/service/tenant.ts'

export type Outcome =
  /** A caller with access to the route gets 404. */
  | 'not-found'
  /** The response contains only the caller's own data, even if the request names another merchant's. */
  | 'own'
  /** A caller with access to the route gets an error. */
  | 'refused'
  /** The response contains data that a shop or a checkout shows to the public. */
  | 'public'

export type Probe = {
  readonly target: string
  readonly body?: object | string
  readonly headers?: Record<string, string>
  readonly outcome: Outcome
  /**
   * Whether the operator may do this to every merchant. If so, the tests do not send the request as the
   * operator.
   */
  readonly isForOperator?: boolean
}

export type Cursors = Readonly<Record<string, string>>

export type Probes = (a: Tenant, cursors: Cursors, b: Tenant) => readonly Probe[]

export const hash = `0x${'ab'.repeat(32)}`
export const line = { label: 'Mine', priceUsd: 1 }
export const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

export const cartOf = (productId: string) => `cart=${'a'.repeat(20)}!!!1*${productId}`

export const at = (targets: readonly string[], outcome: Outcome, body?: object): Probe[] =>
  targets.map((target) => ({ target, outcome, ...(body && { body }) }))

export const own = (target: string, body?: object | string): Probes => {
  return () => [{ target, outcome: 'own', ...(body !== undefined && { body }) }]
}

export const list = (path: string, more: (a: Tenant) => readonly string[] = () => []): Probes => {
  return (a, cursors) => {
    const cursor = cursors[path] === undefined ? [] : [`cursor=${encodeURIComponent(cursors[path])}`]
    const queries = [...more(a), ...cursor].map((query) => `${path}?${query}`)
    return at([path, ...queries], 'own')
  }
}

export const receiptIds = (a: Tenant) => [...Object.values(a.receipts), a.orderId]

export const forOperator = (of: readonly Probe[]) => of.map((probe) => ({ ...probe, isForOperator: true }))

export const underEither = (a: Tenant, b: Tenant, target: string, body: object) =>
  receiptIds(a).flatMap((receiptId) => [
    ...at([target], 'refused', { ...body, receiptId, wallet: a.wallet }),
    ...at([target], 'not-found', { ...body, receiptId, wallet: b.wallet }),
  ])

/** Returns a request for each of A's ids, which replaces `*` in `path`. */
export const each = (ids: (a: Tenant) => readonly string[], path: string, body?: object): Probes => {
  return (a) => {
    const targets = ids(a).map((id) => path.replace('*', id))
    return at(targets, 'not-found', body)
  }
}

export const underOther = (path: string, body?: object): Probes => {
  return (a, _, b) => {
    const targets = receiptIds(a).map((id) => `${path.replace('*', id)}?recipient=${b.wallet}`)
    return at(targets, 'not-found', body)
  }
}

/**
 * Returns requests with which a buyer reads A's receipts. They succeed only with A's wallet as `recipient`.
 */
export const shown = (path: string): Probes => {
  return (a, cursors, b) => {
    const own = receiptIds(a).map((id) => `${path.replace('*', id)}?recipient=${a.wallet}`)
    const alone = at([path.replace('*', a.receipts.pending)], 'not-found')
    return [...at(own, 'public'), ...underOther(path)(a, cursors, b), ...alone]
  }
}
