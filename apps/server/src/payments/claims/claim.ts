import type { ClaimView } from '@sluice/protocol/api/claims.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

/** What somebody says of money in a merchant's inbox. It moves nothing: the merchant decides. */
export type Claim = {
  readonly merchant: Wallet
  readonly unmatchedId: string
  /** The number of the case, which whoever made it follows it by. */
  readonly id: string
  /** The payer's wallet, which has signed it; absent where nothing is proven. */
  readonly wallet: Wallet | undefined
  /** The same for claims of one payment from one address; absent where it is proven. */
  readonly origin: string | undefined
  readonly refundAddress: Wallet
  readonly contact: string | undefined
  readonly note: string | undefined
  readonly madeAt: UnixMs
}

/** What a new claim comes to beside those there are. */
export type ClaimVerdict =
  | { readonly kind: 'new' }
  /** In the place of the one with this id, which keeps its number. */
  | { readonly kind: 'instead'; readonly id: string }
  /** It is there already, word for word. */
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'full' }

/** On somebody's word: so many for a payment in all, and from one address. */
export const unprovenAtMost = { all: 5, perOrigin: 2 } as const

/**
 * Whether a claim is taken. Pure.
 *
 * The payer may always claim, and say it anew: no number of strangers takes that place. What others claim is never
 * written over, since nobody knows whether it was the same person.
 */
export function judgeClaim(
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

/** The claims of a payment as its merchant sees them: the proven one first, then the oldest. */
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
