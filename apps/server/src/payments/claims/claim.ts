import type { ClaimView } from '@sluice/protocol/api/claims.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

export type Claim = {
  readonly merchant: Wallet
  readonly unmatchedId: string
  readonly id: string
  /** The payer's wallet, proven by its signature; absent for an unproven claim. */
  readonly wallet: Wallet | undefined
  /** Keyed hash of the payment and the network address; absent for a proven claim. */
  readonly origin: string | undefined
  readonly refundAddress: Wallet
  readonly contact: string | undefined
  readonly note: string | undefined
  readonly madeAt: UnixMs
}

export type ClaimVerdict =
  | { readonly kind: 'new' }
  /** Replaces the claim with this id, and keeps the id. */
  | { readonly kind: 'instead'; readonly id: string }
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'full' }

export const unprovenAtMost = { all: 5, perOrigin: 2 } as const

/**
 * Evaluates a new claim. The payer can always claim and update the claim, regardless of how many strangers
 * have made claims.
 *
 * An unproven claim is never overwritten, since the service cannot identify its author.
 */
export function evaluateClaim(
  claims: readonly Claim[],
  fresh: Pick<Claim, 'wallet' | 'origin' | 'refundAddress' | 'contact' | 'note'>,
): ClaimVerdict {
  if (fresh.wallet) {
    const proven = claims.find(({ wallet }) => wallet === fresh.wallet)
    return proven ? { kind: 'instead', id: proven.id } : { kind: 'new' }
  }
  const unproven = claims.filter(({ wallet }) => wallet === undefined)
  const own = unproven.filter(({ origin }) => origin === fresh.origin)
  const same = own.find(
    ({ refundAddress, contact, note }) =>
      refundAddress === fresh.refundAddress && contact === fresh.contact && note === fresh.note,
  )
  if (same) return { kind: 'known', id: same.id }
  const isFull = unproven.length >= unprovenAtMost.all || own.length >= unprovenAtMost.perOrigin
  return isFull ? { kind: 'full' } : { kind: 'new' }
}

export function viewClaims(claims: readonly Claim[]): { claim: ClaimView | null; otherClaims: ClaimView[] } {
  const isProven = ({ wallet }: Claim) => wallet !== undefined
  const ordered = claims.toSorted((a, b) => Number(isProven(b)) - Number(isProven(a)) || a.madeAt - b.madeAt)
  const [claim = null, ...otherClaims] = ordered.map((each) => ({
    id: each.id,
    isProven: isProven(each),
    wallet: each.wallet ?? null,
    refundAddress: each.refundAddress,
    contact: each.contact ?? null,
    note: each.note ?? null,
    at: each.madeAt,
  }))
  return { claim, otherClaims }
}
