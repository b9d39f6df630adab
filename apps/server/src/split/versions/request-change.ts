import { addMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import { ApiError, invalidInput } from '../../kernel/api-error.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { findCurrentSplit, findSplitVersion } from '../find-split.ts'
import { decideRecipients, platformTerms, type RecipientInput } from '../setup/configure-split.ts'
import type { SplitTerms } from '../setup/view-split.ts'
import { isSameRecipients, type Recipient, type Split } from '../split.ts'
import { placeSplit } from '../split-address.ts'
import { cancelVersion, findLastVersion, findPendingSplit, insertChange, lockSplit } from './store.ts'

type ChangeNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly chain: Pick<Chain, 'id' | 'factory'>
  readonly splits: Pick<SplitTerms, 'platform' | 'changeDelayMs'>
}

type RecordChange = (tx: Database, change: { split: Split; replaced: Split | undefined }) => Promise<unknown>

/**
 * Schedules a version with new recipients. The new version replaces a pending change, and the delay restarts.
 *
 * Safe to repeat: a request with the same recipients returns the pending change, with `idempotent` true.
 *
 * @param record - Called in the same transaction.
 * @throws {ApiError} `split_required`, `platform_recipient_not_configured`, `invalid_input` (also if the
 * recipients are already in force).
 */
export async function requestChange(
  needs: ChangeNeeds,
  merchant: Wallet,
  input: readonly RecipientInput[],
  record: RecordChange = async () => {},
): Promise<{ split: Split; replaced: Split | undefined; idempotent: boolean }> {
  const { current, recipients } = await planChange(needs, merchant, input)
  return needs.db.transaction(async (tx) => {
    assert(await lockSplit(tx, merchant), 'a split is never removed')
    const pending = await findPendingSplit(tx, merchant)
    if (pending && isSameRecipients(pending.recipients, recipients))
      return { split: pending, replaced: undefined, idempotent: true }
    refuseNoChange((await findCurrentSplit(tx, merchant)) ?? current, recipients)

    const now = needs.clock.now()
    if (pending) await cancelVersion(tx, merchant, pending.version, now)
    const version = (await findLastVersion(tx, merchant)) + 1n
    const placed = await placeSplit(tx, needs.chain.factory, {
      ...platformTerms(needs.splits.platform),
      ...{ merchant, version, chain: needs.chain.id, recipients },
      ...{ state: 'scheduled', effectiveAt: addMs(now, needs.splits.changeDelayMs), createdAt: now },
    })
    assert(placed, 'the lock prevents other new versions')
    await insertChange(tx, placed)
    const split = await findSplitVersion(tx, merchant, version)
    assert(split, 'the version was just stored')
    const replaced = pending && (await findSplitVersion(tx, merchant, pending.version))
    await record(tx, { split, replaced })
    return { split, replaced, idempotent: false }
  })
}

/** @throws {ApiError} as {@link requestChange}. */
export async function planChange(
  needs: Pick<ChangeNeeds, 'db' | 'splits'>,
  merchant: Wallet,
  input: readonly RecipientInput[],
): Promise<{ current: Split; recipients: Recipient[] }> {
  const current = await findCurrentSplit(needs.db, merchant)
  if (!current)
    throw new ApiError(
      'split_required',
      'Before you change the recipients, configure a split in the web app at /app/split',
    )
  const recipients = decideRecipients(merchant, needs.splits.platform, input)
  refuseNoChange(current, recipients)
  return { current, recipients }
}

function refuseNoChange(current: Split, recipients: readonly Recipient[]): void {
  if (isSameRecipients(current.recipients, recipients))
    throw invalidInput({ path: 'recipients', message: 'are the current ones' })
}

/**
 * Cancels a scheduled change. Safe to repeat.
 *
 * @param record - Called in the same transaction.
 * @throws {ApiError} `not_found` if the version is not scheduled.
 */
export async function cancelChange(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  version: bigint,
  record: (tx: Database, split: Split) => Promise<unknown> = async () => {},
): Promise<Split> {
  return needs.db.transaction(async (tx) => {
    await lockSplit(tx, merchant)
    const isCancelled = await cancelVersion(tx, merchant, version, needs.clock.now())
    const split = await findSplitVersion(tx, merchant, version)
    if (split?.state !== 'cancelled')
      throw new ApiError('not_found', 'No scheduled change of recipients has this version')
    assert(split.cancelledAt !== undefined, 'a cancelled version has a time')
    if (isCancelled) await record(tx, split)
    return split
  })
}
