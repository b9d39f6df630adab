import type { Wallet } from '@sluice/protocol/wallet.ts'
import { appendAudit } from '../../access/audit/append-audit.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { walkItems } from '../../platform/jobs/defer.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { findSplitVersion } from '../find-split.ts'
import { viewRecipients } from '../setup/view-split.ts'
import { listReadyChanges, lockSplit, putInForce, type ReadyChange } from './store.ts'

const batchSize = 50
export type ApplyNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly log: Log
  readonly chain: { readonly id: number }
}

/**
 * Returns the job that activates versions after their delay, once their contract is deployed.
 *
 * Until then the previous version stays in force, so that the merchant can always receive payments.
 */
export function applySplitChangesJob(needs: ApplyNeeds): Job {
  const { db, chain, clock } = needs
  /** Pages through all changes, so that blocked ones do not starve the rest. */
  let after: ReadyChange | undefined
  return {
    name: jobNames.applySplitChanges,
    everyMs: 10_000,
    async run() {
      const now = clock.now()
      const ready = await listReadyChanges(db, chain.id, now, { after, limit: batchSize })
      after = ready.length === batchSize ? ready.at(-1) : undefined
      await walkItems(needs, ready, {
        job: jobNames.applySplitChanges,
        nameOf: ({ merchant, version }) => ({ merchant, item: `version ${version}` }),
        work: ({ merchant, version }) => applyChange(needs, merchant, version),
      })
      return after ? 'again' : 'done'
    },
  }
}

async function applyChange(needs: ApplyNeeds, merchant: Wallet, version: bigint): Promise<void> {
  const { db, clock, log } = needs
  const isApplied = await db.transaction(async (tx) => {
    await lockSplit(tx, merchant)
    if (!(await putInForce(tx, merchant, version, clock.now()))) return false
    const split = await findSplitVersion(tx, merchant, version)
    assert(split, 'the scheduled version exists')
    await appendAudit(
      { ...needs, tx },
      {
        merchant,
        at: clock.now(),
        actor: 'system',
        action: 'split.changed',
        subject: split.address,
        details: { version: Number(version), recipients: viewRecipients(split.recipients) },
      },
    )
    return true
  })
  if (isApplied) log.info({ merchant, version: Number(version) }, 'the recipients of a split changed')
}
