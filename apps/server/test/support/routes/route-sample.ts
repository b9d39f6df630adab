import type { ErrorCode } from '@sluice/protocol/errors.ts'
import type { Tenant } from '../service/tenant.ts'
import { badCursors, badLimits, badWallets } from './bad-values.ts'

export type Credential = 'key' | 'owner' | 'operator' | 'nobody'

export type Sample = {
  readonly as: readonly Credential[]
  /** The path with valid ids, including the query if the route requires one. */
  readonly target: (t: Tenant) => string
  readonly body?: (t: Tenant, fresh: string) => object | string
  readonly contentType?: 'text/csv'
  /** Status of the valid request, or `never` if no request succeeds or the test must not send one. */
  readonly comesTo: number | 'never'
  /** Body fields with their own error code, and their invalid values. */
  readonly codes?: Readonly<Record<string, { readonly code: ErrorCode; readonly values: readonly unknown[] }>>
  /** Query values that cause `invalid_input`, percent-encoded. */
  readonly query?: Readonly<Record<string, readonly string[]>>
  readonly withId?: (id: string) => string
  readonly hasOptionalBody?: boolean
}

export const both = ['key', 'owner'] as const

export const page = { limit: badLimits, cursor: badCursors }

export const noText = [undefined, null, 7, true, [], {}, ''] as const

export const noWallet = [undefined, null, 7, [], {}, ...badWallets] as const

export const noAmount = [null, '5', '', true, [], {}, 0, -1, 0.001, 1e-9, 1e15, 1e308] as const

export const line = { label: 'Tea', priceUsd: 5, qty: 1 }

export const options = {
  redirect_url: 'https://example.com/back',
  webhook_url: 'https://example.com/hook',
  metadata: { a: 1 },
}

export function reading(path: string, query: Sample['query'] = {}, as: Sample['as'] = both): Sample {
  return { as, target: () => path, comesTo: 200, query }
}

/** Returns a sample request about one object, whose id replaces `*` in `path`. */
export function about(
  path: string,
  id: (t: Tenant) => string,
  as: Sample['as'] = both,
  comesTo: Sample['comesTo'] = 200,
): Sample {
  const withId = (id: string) => path.replace('*', () => id)
  return { as, target: (t) => withId(id(t)), withId, comesTo }
}

export function writing(
  as: Sample['as'],
  path: string,
  comesTo: number,
  body: NonNullable<Sample['body']>,
): Sample {
  return { as, target: () => path, comesTo, body }
}
