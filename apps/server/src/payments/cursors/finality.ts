import type { Cents } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { defaultSettings, findOwnFinality } from '../../access/settings/find-settings.ts'
import type { Database } from '../../platform/database/database.ts'

export type Finality = 'seen' | 'safe' | 'final'

export type FinalityTags = { readonly latest: bigint; readonly safe: bigint; readonly final: bigint }

export type FinalityPolicy = {
  /** Payments of at least these amounts must be safe or final, respectively. */
  readonly safeFrom: Cents
  readonly finalFrom: Cents
  readonly least: Finality
}

/**
 * Returns the policy of a deployment: by default `safe` at 100 USD or more, and `final` at 1,000 USD or more.
 * In production, a single endpoint is not trusted for the newest blocks.
 *
 * See docs/contract.md#finality.
 */
export function makeFinalityPolicy(deployment: {
  isProduction: boolean
  endpointCount: number
}): FinalityPolicy {
  return {
    ...defaultSettings.finality,
    least: deployment.isProduction && deployment.endpointCount < 2 ? 'safe' : 'seen',
  }
}

export function requiredFinality(policy: FinalityPolicy, customerTotal: Cents): Finality {
  const byAmount =
    customerTotal >= policy.finalFrom ? 'final' : customerTotal >= policy.safeFrom ? 'safe' : 'seen'
  return rank[byAmount] > rank[policy.least] ? byAmount : policy.least
}

export function finalityOf(tags: FinalityTags, block: bigint): Finality {
  return block <= tags.final ? 'final' : block <= tags.safe ? 'safe' : 'seen'
}

export function hasReached(tags: FinalityTags, block: bigint, required: Finality): boolean {
  return rank[finalityOf(tags, block)] >= rank[required]
}

export function lowerFinality(a: Finality, b: Finality): Finality {
  return rank[a] < rank[b] ? a : b
}

const rank = { seen: 0, safe: 1, final: 2 } as const

/** Returns the merchant's policy. The deployment's minimum always applies. */
export async function findPolicy(
  db: Database,
  deployment: FinalityPolicy,
  merchant: Wallet,
): Promise<FinalityPolicy> {
  return { ...deployment, ...(await findOwnFinality(db, merchant)) }
}
