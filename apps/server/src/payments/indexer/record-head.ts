import type { ChainHead } from '../../chain/chain.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import { saveHead } from '../cursors/store.ts'
import type { Pace } from './pace.ts'

/** That a chain which stands still was looked at is written down as often as this. */
const notedEveryMs = 15_000

/** Writes down where the chain stands, unless that was done for this head lately. */
export async function recordHead(
  { db, chain, clock }: Pick<ScanNeeds, 'db' | 'chain' | 'clock'>,
  pace: Pick<Pace, 'notedHead' | 'notedAt'>,
  head: ChainHead,
): Promise<void> {
  const name = nameOfHead(head)
  const now = clock.now()
  if (pace.notedHead === name && Math.abs(now - pace.notedAt) < notedEveryMs) return
  await saveHead(db, chain.id, head, now)
  pace.notedHead = name
  pace.notedAt = now
}

/** What two heads have in common that are the same. */
function nameOfHead({ latest, safe, final }: ChainHead): string {
  return [latest, safe, final].map(({ hash }) => hash).join()
}
