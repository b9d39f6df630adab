import type { Tenant } from '../../../support/service/tenant.ts'

/** The outcome of a request about merchant A's data from another caller. */
export type Outcome =
  /** A caller with access to the route gets 404. */
  | 'not-found'
  /** The response has the caller's own data alone, whatever the request names. */
  | 'own'
  /** A caller with access to the route gets an error. */
  | 'refused'
  /** The response has what a shop or a checkout shows to the public. */
  | 'public'

/** A request about A's data. */
export type Probe = {
  readonly target: string
  readonly body?: object | string
  readonly headers?: Record<string, string>
  readonly outcome: Outcome
  /** Whether the operator may do this to every merchant, and sends no such request. */
  readonly isForOperator?: boolean
}

/** Cursors of A's lists, by path. */
export type Cursors = Readonly<Record<string, string>>

/** Returns the requests to one endpoint. */
export type Probes = (a: Tenant, cursors: Cursors, b: Tenant) => readonly Probe[]

export const hash = `0x${'ab'.repeat(32)}`
export const line = { label: 'Mine', priceUsd: 1 }
/** Headers of a form on a page of the service. */
export const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

/** Returns the cookie of a cart with one product. */
export const cartOf = (productId: string) => `cart=${'a'.repeat(20)}!!!1*${productId}`

export const at = (targets: readonly string[], outcome: Outcome, body?: object): Probe[] =>
  targets.map((target) => ({ target, outcome, ...(body && { body }) }))

/** A request without A's ids. */
export const own = (target: string, body?: object | string): Probes => {
  return () => [{ target, outcome: 'own', ...(body !== undefined && { body }) }]
}

/** A list, with A's cursor and with filters for A's data. */
export const list = (path: string, more: (a: Tenant) => readonly string[] = () => []): Probes => {
  return (a, cursors) => {
    const cursor = cursors[path] === undefined ? [] : [`cursor=${encodeURIComponent(cursors[path])}`]
    const queries = [...more(a), ...cursor].map((query) => `${path}?${query}`)
    return at([path, ...queries], 'own')
  }
}

export const receiptIds = (a: Tenant) => [...Object.values(a.receipts), a.orderId]

export const forOperator = (of: readonly Probe[]) => of.map((probe) => ({ ...probe, isForOperator: true }))

/** A write to A's receipts with A's wallet, and with B's. */
export const underEither = (a: Tenant, b: Tenant, target: string, body: object) =>
  receiptIds(a).flatMap((receiptId) => [
    ...at([target], 'refused', { ...body, receiptId, wallet: a.wallet }),
    ...at([target], 'not-found', { ...body, receiptId, wallet: b.wallet }),
  ])

/** A request for each of A's ids, which replaces `*` in `path`. */
export const each = (ids: (a: Tenant) => readonly string[], path: string, body?: object): Probes => {
  return (a) => {
    const targets = ids(a).map((id) => path.replace('*', id))
    return at(targets, 'not-found', body)
  }
}

/** A's receipts with B's wallet as recipient. */
export const underOther = (path: string, body?: object): Probes => {
  return (a, _, b) => {
    const targets = receiptIds(a).map((id) => `${path.replace('*', id)}?recipient=${b.wallet}`)
    return at(targets, 'not-found', body)
  }
}

/** A's receipts as buyers see them: with A's wallet alone as recipient. */
export const shown = (path: string): Probes => {
  return (a, cursors, b) => {
    const own = receiptIds(a).map((id) => `${path.replace('*', id)}?recipient=${a.wallet}`)
    const alone = at([path.replace('*', a.receipts.pending)], 'not-found')
    return [...at(own, 'public'), ...underOther(path)(a, cursors, b), ...alone]
  }
}
