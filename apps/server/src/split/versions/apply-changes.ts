import type { Wallet } from '@sluice/protocol/wallet.ts'
import { appendAudit } from '../../access/audit/append-audit.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { walkItems } from '../../platform/jobs/set-aside.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { findSplitVersion } from '../find-split.ts'
import { viewRecipients } from '../setup/view-split.ts'
import { listReadyChanges, lockSplit, putInForce, type ReadyChange } from './store.ts'

const batchSize = 50
/** What applying changes leans on. */
export type ApplyNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly log: Log
  readonly chain: { readonly id: number }
}

/**
 * The job that lets versions take over whose delay is over and whose contract stands on the chain. Until then
 * the old one goes on, so that there is no moment in which a merchant cannot be paid.
 */
export function applySplitChangesJob(needs: ApplyNeeds): Job {
  const { db, chain, clock } = needs
  /** Where the next page begins: those that cannot take over now keep nobody behind them from it. */
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

/** Lets one version take over, with its entry in the audit log or not at all. Safe to repeat and to race. */
async function applyChange(needs: ApplyNeeds, merchant: Wallet, version: bigint): Promise<void> {
  const { db, clock, log } = needs
  const isApplied = await db.transaction(async (tx) => {
    await lockSplit(tx, merchant)
    if (!(await putInForce(tx, merchant, version, clock.now()))) return false
    const split = await findSplitVersion(tx, merchant, version)
    assert(split, 'what waits is stored')
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
  if (isApplied) log.info({ merchant, version: Number(version) }, 'the recipients of a split have changed')
}
