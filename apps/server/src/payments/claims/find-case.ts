import { ApiError } from '../../kernel/api-error.ts'
import { isCounted, isMissing } from '../../receipts/refunds/refund.ts'
import { findRefund } from '../../receipts/refunds/store.ts'
import { findBrandOfMerchant, isShownAt } from '../../site/find-brand.ts'
import { findUnmatched, type StoredUnmatched } from '../ledger/unmatched-store.ts'
import { type ClaimablePayment, type FindClaimableNeeds, viewClaimable } from './find-claimable.ts'
import { findCasePlace, listClaims } from './store.ts'

export type ClaimCase = {
  readonly id: string
  readonly state: StoredUnmatched['state']
  readonly isProven: boolean
  readonly refundAddress: string
  readonly madeAt: number
  readonly payment: ClaimablePayment
  readonly decidedAt: number | null
  /** The refund transaction; null if unknown. */
  readonly refund: { readonly transactionHash: string; readonly isConfirmed: boolean } | null
  readonly chain: { readonly name: string; readonly explorerUrl: string | null }
}

export type FindCaseNeeds = FindClaimableNeeds & {
  readonly chain: FindClaimableNeeds['chain'] & {
    readonly name: string
    readonly explorerUrl: string | undefined
  }
}

/**
 * Returns the case with an unguessable id.
 *
 * @throws {ApiError} `not_found`, also on another brand's domains.
 */
export async function findCase(
  needs: FindCaseNeeds,
  id: string,
  host: string | undefined,
): Promise<ClaimCase> {
  const { db, chain } = needs
  const place = /^C-[0-9A-Z]{26}$/.test(id) ? await findCasePlace(db, id) : undefined
  if (!place) throw notFound()
  const { merchant, unmatchedId } = place
  const [claims, payment, brand] = await Promise.all([
    listClaims(db, merchant, unmatchedId),
    findUnmatched(db, merchant, unmatchedId),
    findBrandOfMerchant(db, merchant),
  ])
  const claim = claims.find((each) => each.id === id)
  if (!claim || !payment || !(await isShownAt(db, brand.key, host))) throw notFound()
  const { state, decision } = payment
  const refundId = decision?.refundId
  const logged = refundId === undefined ? undefined : await findRefund(db, merchant, refundId)
  const refund = logged && isMissing(logged) ? undefined : logged
  return {
    id,
    state,
    isProven: claim.wallet !== undefined,
    refundAddress: claim.refundAddress,
    madeAt: claim.madeAt,
    payment: viewClaimable(needs, { ...payment, source: payment.source, at: payment.block.at }),
    decidedAt: state === 'open' || state === 'orphaned' ? null : (decision?.at ?? null),
    refund: refund?.txHash ? { transactionHash: refund.txHash, isConfirmed: isCounted(refund) } : null,
    chain: { name: chain.name, explorerUrl: chain.explorerUrl ?? null },
  }
}

function notFound(): ApiError {
  return new ApiError('not_found', 'Case not found')
}
