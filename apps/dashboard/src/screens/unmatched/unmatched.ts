import type { components } from '../../api/schema.d.ts'

export type Unmatched = components['schemas']['UnmatchedPayment']

export const unmatchedStates = ['open', 'applied', 'refunded', 'kept', 'all'] as const

export type UnmatchedState = (typeof unmatchedStates)[number]

export function readUnmatchedSearch({ state }: Record<string, unknown>): { state: UnmatchedState } {
  return { state: unmatchedStates.find((each) => each === state) ?? 'open' }
}

/**
 * Returns whether a refund is in progress. The refund blocks other decisions until its transaction is final
 * or missing.
 */
export function isReturning({ state, refund }: Unmatched): boolean {
  return state === 'open' && refund !== null && refund.error === null
}

export function claimsOf({ claim, otherClaims }: Unmatched): NonNullable<Unmatched['claim']>[] {
  return claim ? [claim, ...otherClaims] : otherClaims
}
