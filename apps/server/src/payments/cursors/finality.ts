import type { Cents } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { defaultSettings, findOwnFinality } from '../../access/settings/find-settings.ts'
import type { Database } from '../../platform/database/database.ts'

/** How sure a block is: in the chain, safe, or final. */
export type Finality = 'seen' | 'safe' | 'final'

/** Up to which height blocks are how sure. */
export type FinalityTags = { readonly latest: bigint; readonly safe: bigint; readonly final: bigint }

/** What decides how sure a payment has to be. */
export type FinalityPolicy = {
  /** From these amounts on a payment has to be safe, and final. */
  readonly safeFrom: Cents
  readonly finalFrom: Cents
  /** Never less than this. */
  readonly least: Finality
}

/**
 * The policy of a deployment (decisions: Payments on chain, Finality by amount): one confirmation below
 * 100 USD, safe below 1,000 USD, final above. In production a single endpoint's word for the newest blocks
 * is not enough.
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

/** How sure the payments of a receipt have to be before they count. */
export function requiredFinality(policy: FinalityPolicy, customerTotal: Cents): Finality {
  const byAmount =
    customerTotal >= policy.finalFrom ? 'final' : customerTotal >= policy.safeFrom ? 'safe' : 'seen'
  return rank[byAmount] > rank[policy.least] ? byAmount : policy.least
}

/** How sure a block of the chain is. */
export function finalityOf(tags: FinalityTags, block: bigint): Finality {
  return block <= tags.final ? 'final' : block <= tags.safe ? 'safe' : 'seen'
}

/** Whether a block is as sure as asked. */
export function hasReached(tags: FinalityTags, block: bigint, required: Finality): boolean {
  return rank[finalityOf(tags, block)] >= rank[required]
}

/** The lower of two. */
export function lowerFinality(a: Finality, b: Finality): Finality {
  return rank[a] < rank[b] ? a : b
}

const rank = { seen: 0, safe: 1, final: 2 } as const

/**
 * What decides how sure a merchant's payments and refunds have to be: its own amounts where it has set any, the
 * deployment's otherwise. The deployment's minimum holds for everybody.
 */
export async function findPolicy(
  db: Database,
  deployment: FinalityPolicy,
  merchant: Wallet,
): Promise<FinalityPolicy> {
  return { ...deployment, ...(await findOwnFinality(db, merchant)) }
}
