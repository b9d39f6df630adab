import type { ErrorCode } from '@sluice/protocol/errors.ts'
import { badCursors, badLimits, badWallets } from '../bad-inputs/hostile-texts.ts'
import type { Tenant } from '../service/tenant.ts'

/** Who sends the requests of a sample. */
export type Credential = 'key' | 'owner' | 'operator' | 'nobody'

/** A request that is right, and in which ways it can be spoiled that its schemas do not tell. */
export type Sample = {
  /** Whose credentials the route takes. */
  readonly as: readonly Credential[]
  /** The path with good ids in it, and a query where one is needed. */
  readonly target: (t: Tenant) => string
  readonly body?: (t: Tenant, fresh: string) => object | string
  /** JSON where absent. */
  readonly contentType?: 'text/csv'
  /** What the good request comes to; `never`: it is not sent, or not good whatever is sent. */
  readonly comesTo: number | 'never'
  /** Fields of the body whose faults have a code of their own, with values that have them. */
  readonly codes?: Readonly<Record<string, { readonly code: ErrorCode; readonly values: readonly unknown[] }>>
  /** Values of the query that are refused as `invalid_input`, percent-encoded. */
  readonly query?: Readonly<Record<string, readonly string[]>>
  /** The path with another id in it, percent-encoded. */
  readonly withId?: (id: string) => string
  /** What unknown ids come to beside 404 and 400. */
  readonly unknownId?: readonly number[]
  /** The body may be left out or empty. */
  readonly hasOptionalBody?: boolean
}

/** Whom developers' routes take. */
export const both = ['key', 'owner'] as const

/** What the query of a list must not be. */
export const page = { limit: badLimits, cursor: badCursors }

/** No text at all. */
export const noText = [undefined, null, 7, true, [], {}, ''] as const

/** No wallet. */
export const noWallet = [undefined, null, 7, [], {}, ...badWallets] as const

/** No amount of money above zero. */
export const noAmount = [null, '5', '', true, [], {}, 0, -1, 0.001, 1e-9, 1e15, 1e308] as const

/** A line of a receipt. */
export const line = { label: 'Tea', priceUsd: 5, qty: 1 }

/** What may be said beside what is sold. */
export const options = {
  redirect_url: 'https://example.com/back',
  webhook_url: 'https://example.com/hook',
  metadata: { a: 1 },
}

/** A route that reads at `path`. */
export function reading(path: string, query: Sample['query'] = {}, as: Sample['as'] = both): Sample {
  return { as, target: () => path, comesTo: 200, query }
}

/** As {@link reading}, of one thing, whose id stands for `*` in `path`. */
export function readingOne(path: string, good: (t: Tenant) => string): Sample {
  return { as: both, ...about(path, good), comesTo: 200 }
}

/** Where a route finds one thing, whose id stands for `*` in `path`. */
export function about(path: string, good: (t: Tenant) => string): Pick<Sample, 'target' | 'withId'> {
  const withId = (id: string) => path.replace('*', () => id)
  return { target: (t) => withId(good(t)), withId }
}

/** A route that writes at `path`. */
export function writing(
  as: Sample['as'],
  path: string,
  comesTo: number,
  body: NonNullable<Sample['body']>,
): Sample {
  return { as, target: () => path, comesTo, body }
}
