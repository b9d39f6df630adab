import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { setAside } from '../../platform/jobs/set-aside.ts'
import type { Log } from '../../platform/log.ts'
import { keepNews } from './kept-news-store.ts'
import type { SettleItem } from './settle-item.ts'

/** What items that could not be settled are listed under, whichever watcher came upon them. */
export const scanTransfersName = 'scan-transfers'

/** Sets an item aside with all that is known of it, in the transaction of the step that came upon it. */
export async function keepItem(
  needs: { tx: Database; clock: Clock; log: Log },
  chain: number,
  { merchant, item, kept }: Pick<SettleItem, 'merchant' | 'item' | 'kept'>,
  fault: unknown,
): Promise<void> {
  await keepNews(needs.tx, chain, { merchant, item }, kept)
  await setAside({ ...needs, db: needs.tx }, { job: scanTransfersName, merchant, item }, fault)
}
