import type { components } from '../../api/schema.d.ts'

/** Money that no receipt explains. */
export type Unmatched = components['schemas']['UnmatchedPayment']

/** What a list of it shows. */
export const unmatchedStates = ['open', 'applied', 'refunded', 'kept', 'all'] as const

/** One of {@link unmatchedStates}. */
export type UnmatchedState = (typeof unmatchedStates)[number]

/** What the address of the list asks for. */
export function readUnmatchedSearch({ state }: Record<string, unknown>): { state: UnmatchedState } {
  return { state: unmatchedStates.find((each) => each === state) ?? 'open' }
}

/** Everything said of a payment by who wants it back; the one to look at first comes first. */
export function claimsOf({ claim, otherClaims }: Unmatched): NonNullable<Unmatched['claim']>[] {
  return claim ? [claim, ...otherClaims] : otherClaims
}
