import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Database } from '../../platform/database/database.ts'
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
  const row = await db.row<{ granted: number; tokens: number }>(take, [
    key,
    size.capacity,
    size.perMs,
    lease.wanted,
    lease.now,
  ])
  return { granted: row?.granted ?? 0, left: row?.tokens ?? 0 }
}

/** Removes buckets nobody has used since `before`: they are full again. */
export function forgetBuckets(db: Database, before: UnixMs): Promise<number> {
  return db.run(forget, [before])
}

const held = 'least($2::float8, b.tokens + greatest($5::bigint - b.at, 0) * $3::float8)'

const take = {
  name: 'lease-rate-tokens',
  text: `INSERT INTO rate_bucket AS b (key, tokens, granted, at)
    VALUES ($1, $2::float8 - least($2::float8, $4::float8), least($2::float8, $4::float8), $5::bigint)
    ON CONFLICT (key) DO UPDATE SET
      granted = least($4::float8, floor(${held})),
      tokens = ${held} - least($4::float8, floor(${held})),
      at = CASE WHEN b.at > $5::bigint + 60000 THEN $5::bigint ELSE greatest(b.at, $5::bigint) END
    RETURNING granted, tokens`,
}

const forget = { name: 'forget-rate-buckets', text: 'DELETE FROM rate_bucket WHERE at < $1' }
