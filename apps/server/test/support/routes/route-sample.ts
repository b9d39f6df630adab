import type { ErrorCode } from '@sluice/protocol/errors.ts'
import type { Tenant } from '../service/tenant.ts'
import { badCursors, badLimits, badWallets } from './bad-values.ts'

/** The credentials of a request. */
export type Credential = 'key' | 'owner' | 'operator' | 'nobody'

/** A good request to an endpoint, and the invalid values that its schemas do not describe. */
export type Sample = {
  /** The credentials that the route accepts. */
  readonly as: readonly Credential[]
  /** The path with valid ids, and the query if the route requires one. */
  readonly target: (t: Tenant) => string
  readonly body?: (t: Tenant, fresh: string) => object | string
  /** JSON if absent. */
  readonly contentType?: 'text/csv'
  /** Status of the good request; `never` if no request succeeds or the test must not send one. */
  readonly comesTo: number | 'never'
  /** Fields of the body with an error code of their own, and their invalid values. */
  readonly codes?: Readonly<Record<string, { readonly code: ErrorCode; readonly values: readonly unknown[] }>>
  /** Query values that are `invalid_input`, percent-encoded. */
  readonly query?: Readonly<Record<string, readonly string[]>>
  /** The path with another id, percent-encoded. */
  readonly withId?: (id: string) => string
  /** Whether the body may be absent or empty. */
  readonly hasOptionalBody?: boolean
}

/** The credentials that routes for developers accept. */
export const both = ['key', 'owner'] as const

/** Invalid pages of a list. */
export const page = { limit: badLimits, cursor: badCursors }

/** Values that are no text. */
export const noText = [undefined, null, 7, true, [], {}, ''] as const

/** Values that are no wallet. */
export const noWallet = [undefined, null, 7, [], {}, ...badWallets] as const

/** Values that are no positive amount. */
export const noAmount = [null, '5', '', true, [], {}, 0, -1, 0.001, 1e-9, 1e15, 1e308] as const

/** A line of a receipt. */
export const line = { label: 'Tea', priceUsd: 5, qty: 1 }

/** Optional fields of receipts and orders. */
export const options = {
  redirect_url: 'https://example.com/back',
  webhook_url: 'https://example.com/hook',
  metadata: { a: 1 },
}

/** Returns the sample of a read. */
export function reading(path: string, query: Sample['query'] = {}, as: Sample['as'] = both): Sample {
  return { as, target: () => path, comesTo: 200, query }
}

/** Returns the sample of a request about one object, whose id replaces `*` in `path`. */
export function about(
  path: string,
  id: (t: Tenant) => string,
  as: Sample['as'] = both,
  comesTo: Sample['comesTo'] = 200,
): Sample {
  const withId = (id: string) => path.replace('*', () => id)
  return { as, target: (t) => withId(id(t)), withId, comesTo }
}

/** Returns the sample of a write. */
export function writing(
  as: Sample['as'],
  path: string,
  comesTo: number,
  body: NonNullable<Sample['body']>,
): Sample {
  return { as, target: () => path, comesTo, body }
}
