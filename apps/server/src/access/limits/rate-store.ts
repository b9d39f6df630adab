import type { UnixMs } from '@sluice/protocol/time.ts'
import { number } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { BucketSize } from './rate-bucket.ts'

/**
 * Takes up to `wanted` tokens out of a bucket that all processes share, in one statement. The latest clock
 * counts, unless it is more than a minute ahead: then it was wrong.
 */
export async function leaseTokens(
  db: Database,
  key: string,
  size: BucketSize,
  lease: { wanted: number; now: UnixMs },
): Promise<{ granted: number; left: number }> {
  const row = await db.row(
    take({ key, capacity: size.capacity, perMs: size.perMs, wanted: lease.wanted, now: lease.now }),
  )
  return { granted: row?.granted ?? 0, left: row?.tokens ?? 0 }
}

/** Removes buckets nobody has used since `before`: they are full again. */
export function pruneBuckets(db: Database, before: UnixMs): Promise<number> {
  return db.run(forget({ before }))
}

const held = 'least(:capacity::float8, b.tokens + greatest(:now::bigint - b.at, 0) * :perMs::float8)'

const take = statement({
  name: 'lease-rate-tokens',
  reads: { granted: number(), tokens: number() },
  text: `INSERT INTO rate_bucket AS b (key, tokens, granted, at)
    VALUES (:key, :capacity::float8 - least(:capacity::float8, :wanted::float8), least(:capacity::float8,
      :wanted::float8), :now::bigint)
    ON CONFLICT (key) DO UPDATE SET
      granted = least(:wanted::float8, floor(${held})),
      tokens = ${held} - least(:wanted::float8, floor(${held})),
      at = CASE WHEN b.at > :now::bigint + 60000 THEN :now::bigint ELSE greatest(b.at, :now::bigint) END
    RETURNING granted, tokens`,
})

const forget = statement({ name: 'forget-rate-buckets', text: 'DELETE FROM rate_bucket WHERE at < :before' })
