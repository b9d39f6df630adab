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

/** Whether a refund of it is under way: nothing else can be decided until its transaction is final, or missing. */
export function isReturning({ state, refund }: Unmatched): boolean {
  return state === 'open' && refund !== null && refund.error === null
}

/** Everything said of a payment by who wants it back; the one to look at first comes first. */
export function claimsOf({ claim, otherClaims }: Unmatched): NonNullable<Unmatched['claim']>[] {
  return claim ? [claim, ...otherClaims] : otherClaims
}
