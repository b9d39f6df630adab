import type { Tenant } from '../service/tenant.ts'

/** What becomes of a request about one merchant's things when another, or nobody, sends it. */
export type Outcome =
  /** Whoever may call the route at all gets 404. */
  | 'not-found'
  /** It is about the caller's own things whatever it names: nothing of the other merchant is in the answer. */
  | 'own'
  /** Whoever may call the route at all is refused. */
  | 'refused'
  /** It shows everybody what a shop or a checkout shows everybody, and no more. */
  | 'public'

/** One such request. */
export type Probe = {
  readonly target: string
  readonly body?: object | string
  readonly headers?: Record<string, string>
  readonly outcome: Outcome
  /** The operator may do this to every merchant: he is not asked. */
  readonly isForOperator?: boolean
}

/** Where the owner's lists went on, by path. */
export type Cursors = Readonly<Record<string, string>>

/** What to ask at one endpoint. */
export type Probes = (a: Tenant, cursors: Cursors, b: Tenant) => readonly Probe[]

export const hash = `0x${'ab'.repeat(32)}`
export const line = { label: 'Mine', priceUsd: 1 }
/** As a page of the shop itself would send it. */
export const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

/** The cookie of somebody who has this product in the cart. */
export const cartOf = (productId: string) => `cart=${'a'.repeat(20)}!!!1*${productId}`

export const at = (targets: readonly string[], outcome: Outcome, body?: object): Probe[] =>
  targets.map((target) => ({ target, outcome, ...(body && { body }) }))

/** What is about the caller's own things, or about nobody's. */
export const own = (target: string, body?: object | string): Probes => {
  return () => [{ target, outcome: 'own', ...(body !== undefined && { body }) }]
}

/** A list's own page, and what its owner's cursor and filters bring somebody else. */
export const list = (path: string, more: (a: Tenant) => readonly string[] = () => []): Probes => {
  return (a, cursors) => {
    const cursor = cursors[path] === undefined ? [] : [`cursor=${encodeURIComponent(cursors[path])}`]
    const queries = [...more(a), ...cursor].map((query) => `${path}?${query}`)
    return at([path, ...queries], 'own')
  }
}

export const receiptIds = (a: Tenant) => [...Object.values(a.receipts), a.orderId]

export const forOperator = (of: readonly Probe[]) => of.map((probe) => ({ ...probe, isForOperator: true }))

/** What is said of the owner's receipts in the name of its merchant, and in one's own. */
export const underEither = (a: Tenant, b: Tenant, target: string, body: object) =>
  receiptIds(a).flatMap((receiptId) => [
    ...at([target], 'refused', { ...body, receiptId, wallet: a.wallet }),
    ...at([target], 'not-found', { ...body, receiptId, wallet: b.wallet }),
  ])

/** Things of the owner's that are nobody else's: the id of each stands for `*` in `path`. */
export const each = (ids: (a: Tenant) => readonly string[], path: string, body?: object): Probes => {
  return (a) => {
    const targets = ids(a).map((id) => path.replace('*', id))
    return at(targets, 'not-found', body)
  }
}

/** Receipts under the wallet of somebody else: those we made are found without one, and still are not his. */
export const underOther = (path: string, body?: object): Probes => {
  return (a, _, b) => {
    const targets = receiptIds(a).map((id) => `${path.replace('*', id)}?recipient=${b.wallet}`)
    return at(targets, 'not-found', body)
  }
}

/** What a buyer is shown of a receipt, under its merchant's wallet alone. */
export const shown = (path: string): Probes => {
  return (a, cursors, b) => {
    const own = receiptIds(a).map((id) => `${path.replace('*', id)}?recipient=${a.wallet}`)
    const alone = at([path.replace('*', a.receipts.pending)], 'not-found')
    return [...at(own, 'public'), ...underOther(path)(a, cursors, b), ...alone]
  }
}
