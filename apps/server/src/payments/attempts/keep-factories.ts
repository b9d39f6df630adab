import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import { listFactories } from '../../chain/factory-store.ts'
import type { Database } from '../../platform/database/database.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { factoryOfSplit } from '../../split/split-address.ts'
import { factoryOfDeposit } from './deposit-address.ts'
import {
  beforeFirstRow,
  listAttemptsWithout,
  listSplitsWithout,
  saveAttemptFactories,
  saveSplitFactories,
} from './keep-factories-store.ts'

/** An address takes a tenth of a millisecond for each factory: what is asked of the service meanwhile is not to wait. */
const perRound = 100

/**
 * The job that writes down which factory made the splits and deposit addresses of releases that did not keep it. The
 * addresses say so; rows that no known factory made stay as they are.
 */
export function keepFactoriesJob({ db, chain }: { db: Database; chain: Pick<Chain, 'id' | 'factory'> }): Job {
  let afterSplit = beforeFirstRow
  let afterAttempt = beforeFirstRow
  const run = async () => {
    const factories = await listFactories(db, chain)
    const splits = await listSplitsWithout(db, chain.id, afterSplit, perRound)
    await saveSplitFactories(
      db,
      withFactory(splits, (split) => factoryOfSplit(factories, split)),
    )
    afterSplit = splits.at(-1) ?? beforeFirstRow
    const attempts = await listAttemptsWithout(db, chain.id, afterAttempt, perRound)
    await saveAttemptFactories(
      db,
      withFactory(attempts, (attempt) => factoryOfDeposit(factories, attempt)),
    )
    afterAttempt = attempts.at(-1) ?? beforeFirstRow
    return splits.length < perRound && attempts.length < perRound ? 'done' : 'again'
  }
  return {
    name: jobNames.keepFactories,
    everyMs: 3_600_000,
    run,
  }
}

function withFactory<Row extends object>(
  rows: readonly Row[],
  find: (row: Row) => Wallet | undefined,
): (Row & { factory: Wallet })[] {
  return rows.flatMap((row) => {
    const factory = find(row)
    return factory ? [{ ...row, factory }] : []
  })
}
