import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { listMerchants } from '../../merchants/list-merchants.ts'
import type { Database } from '../../platform/database/database.ts'
import { holdLease } from '../../platform/jobs/hold-lease.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { walkItems } from '../../platform/jobs/set-aside.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Timings } from '../../platform/jobs/timings.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { findTags } from '../cursors/store.ts'
import { archivePage, type Place } from './archive-page.ts'

type Needs = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly timings: Timings
  readonly chain: Pick<Chain, 'id'>
  readonly holder: string
  readonly metrics: Pick<Metrics, 'countArchivedReceipts'>
}

const everyMs = 3_600_000
const pagesPerRound = 100
/** Between two rounds of one walk: what is old is in no hurry, and the others need the database too. */
const pauseMs = 1_000
const dayMs = 86_400_000

/** Where a walk over all merchants is. */
type Walk = { readonly merchants: readonly Wallet[]; readonly after: Place | undefined }

/**
 * The job that moves receipts to the archive that have been closed for so many days, on one process at a time. Every hour
 * it walks over all merchants, one after another and a page of receipts at a time, from the oldest on; each page is one
 * transaction. Where it stopped is not written down: a walk that begins anew finds what is left.
 */
export function archiveReceiptsJob(needs: Needs, afterDays: number): Job {
  let walk: Walk | undefined
  return {
    name: jobNames.archiveReceipts,
    everyMs,
    async run(signal) {
      await holdLease(needs, jobNames.archiveReceipts, needs.holder, async () => {
        walk ??= { merchants: (await listMerchants(needs.db)).map(({ wallet }) => wallet), after: undefined }
        const before = (needs.clock.now() - afterDays * dayMs) as UnixMs
        const { final } = await findTags(needs.db, needs.chain.id)
        for (let page = 0; page < pagesPerRound && walk && !signal.aborted; page++)
          walk = await walkOn(needs, walk, { before, final })
      })
      return walk ? { wakeInMs: pauseMs } : 'done'
    },
  }
}

/** Does one page; where the walk goes on, or `undefined` at its end. */
async function walkOn(
  needs: Needs,
  walk: Walk,
  limits: { readonly before: UnixMs; readonly final: bigint },
): Promise<Walk | undefined> {
  const [merchant, ...others] = walk.merchants
  if (merchant === undefined) return undefined
  let next: Place | undefined
  await walkItems(needs, [merchant], {
    job: jobNames.archiveReceipts,
    nameOf: () => ({ merchant, item: 'archive' }),
    async work() {
      const page = await archivePage(needs, merchant, { after: walk.after, ...limits })
      next = page.next
      if (page.moved === 0) return
      needs.metrics.countArchivedReceipts(page.moved)
      needs.log.info({ merchant, receipts: page.moved }, 'old receipts were archived')
    },
  })
  if (next) return { merchants: walk.merchants, after: next }
  return others.length > 0 ? { merchants: others, after: undefined } : undefined
}
