import { jobNames } from '../../../src/platform/jobs/names.ts'
import { isOnCluster } from '../database/on-cluster.ts'
import type { TestApi } from './start-api.ts'

/** Days after which these set-ups archive receipts. */
export const archiveAfterDays = 30

/** More than {@link archiveAfterDays}. */
export const archiveAfterMs = 31 * 86_400_000

/** Runs the archive job over all merchants. */
export async function archiveAll({ job }: Pick<TestApi, 'job'>): Promise<void> {
  const archiving = job(jobNames.archiveReceipts)
  for (;;) if ((await archiving.run(new AbortController().signal)) === 'done') return
}

/** The ids of a merchant's archived receipts, none of which is current. */
export async function listArchived(
  { database }: Pick<TestApi, 'database'>,
  merchant: string,
): Promise<string[]> {
  const rows = await database.pool.rows<{ id: string; is_current: boolean; documents: bigint }>(
    {
      name: '',
      text: `SELECT id, EXISTS (SELECT FROM receipt AS r WHERE r.merchant = $1 AND r.id = a.id) AS is_current,
          (SELECT count(*) FROM archived_document AS d WHERE d.merchant = $1 AND d.id = a.id) AS documents
        FROM archived_receipt AS a WHERE a.merchant = $1 ORDER BY id`,
    },
    [merchant],
  )
  const odd = rows.filter(({ is_current, documents }) => is_current || documents !== 1n)
  if (odd.length > 0) throw new Error(`in two places, or in none: ${odd.map(({ id }) => id).join()}`)
  return rows.map(({ id }) => id)
}

/** The names of the archive's partitions, oldest first. */
export async function listMonths({ database }: Pick<TestApi, 'database'>): Promise<string[]> {
  const text = `SELECT inhrelid::regclass::text AS name FROM pg_inherits
    WHERE inhparent = 'archived_document'::regclass ORDER BY 1`
  return (await database.pool.rows<{ name: string }>({ name: '', text })).map(({ name }) => name)
}

/** The command that detaches a month; Citus has no other way than to lock the archive for a moment. */
export const detachMonth = (partition: string): string =>
  `ALTER TABLE archived_document DETACH PARTITION ${partition}${isOnCluster ? '' : ' CONCURRENTLY'}`
