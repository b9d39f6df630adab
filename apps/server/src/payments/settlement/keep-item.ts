import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { setAside } from '../../platform/jobs/set-aside.ts'
import type { Log } from '../../platform/log.ts'
import { keepFindings } from './kept-finding-store.ts'
import type { SettleItem } from './settle-item.ts'

/** Sets an item aside with all that is known of it, in the transaction of the step that came upon it. */
export async function keepItem(
  needs: { tx: Database; clock: Clock; log: Log },
  chain: number,
  { merchant, item, kept }: Pick<SettleItem, 'merchant' | 'item' | 'kept'>,
  fault: unknown,
): Promise<void> {
  await keepFindings(needs.tx, chain, { merchant, item }, kept)
  await setAside({ ...needs, db: needs.tx }, { job: jobNames.scanTransfers, merchant, item }, fault)
}
