import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { listMerchantWallets } from '../../merchants/merchant-store.ts'
import { type Places, unlessAway } from '../../platform/cluster/places.ts'
import type { Database } from '../../platform/database/database.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { walkItems } from '../../platform/jobs/set-aside.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import { recountTallies } from './recount.ts'
import { foldTallies, listUnfoldedMerchants } from './tally-store.ts'

const everyMs = 10_000
const merchantsAtOnce = 200
const recountEveryMs = 86_400_000
const notesAtOnce = 5_000
const foldsAtOnce = 40

/**
 * The job that adds what was noted of the tallies to them, so that summaries have little to add up. Nobody waits for
 * it, and nothing is miscounted without it: a summary counts the notes too. When a process starts, and once a day, all is
 * counted anew, for releases that keep no tallies may have run beside this one.
 */
export function keepTalliesJob(needs: { db: Database; clock: Clock; log: Log; places?: Places }): Job {
  const { db, clock, log, places } = needs
  let after = ''
  let recountedAt: UnixMs | undefined
  const round = async () => {
    const merchants = await listUnfoldedMerchants(db, after, merchantsAtOnce)
    const isFull = merchants.length === merchantsAtOnce
    // Whoever is deferred keeps nobody behind him from his turn.
    after = isFull ? (merchants.at(-1) ?? '') : ''
    await walkItems(needs, merchants, {
      job: jobNames.keepTallies,
      nameOf: (merchant) => ({ merchant, item: 'tallies' }),
      work: (merchant) => foldAll(needs.db, merchant),
    })
    if (recountedAt === undefined || Math.abs(clock.now() - recountedAt) >= recountEveryMs) {
      const all = await listAll(db)
      await walkItems(needs, all, {
        job: jobNames.keepTallies,
        nameOf: (merchant) => ({ merchant, item: 'recount' }),
        work: async (merchant) => {
          const corrected = await recountTallies(db, merchant, clock.now())
          if (corrected > 0) log.warn({ merchant, corrected }, 'counts of receipts were put right')
        },
      })
      recountedAt = clock.now()
    }
    return isFull ? 'again' : 'done'
  }
  return {
    name: jobNames.keepTallies,
    everyMs,
    // Folding sends what it takes to all machines, and who has notes is asked of all.
    run: async () => (await unlessAway(places, round)) ?? 'done',
  }
}

async function listAll(db: Database): Promise<Wallet[]> {
  const all: Wallet[] = []
  for (;;) {
    const page = await listMerchantWallets(db, all.at(-1) ?? '', merchantsAtOnce)
    all.push(...page)
    if (page.length < merchantsAtOnce) return all
  }
}

async function foldAll(db: Database, merchant: Wallet): Promise<void> {
  for (let folds = 0; folds < foldsAtOnce; folds++)
    if ((await foldTallies(db, merchant, notesAtOnce)) < notesAtOnce) return
}
