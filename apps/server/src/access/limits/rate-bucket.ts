import type { UnixMs } from '@sluice/protocol/time.ts'
import { number } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/** State of a token bucket at the time `at`. `tokens` can be a fraction. */
export type Bucket = { tokens: number; at: UnixMs }

/** `perMs`: tokens added per millisecond. */
export type BucketSize = { readonly capacity: number; readonly perMs: number }

/** Returns the current tokens. A clock that went backwards adds none. */
export function tokensIn(bucket: Bucket, size: BucketSize, now: UnixMs): number {
  return Math.min(size.capacity, bucket.tokens + Math.max(0, now - bucket.at) * size.perMs)
}

/** Takes up to `wanted` whole tokens. Returns the number taken. */
export function takeFrom(bucket: Bucket, size: BucketSize, wanted: number, now: UnixMs): number {
  const tokens = tokensIn(bucket, size, now)
  const taken = Math.min(wanted, Math.floor(tokens))
  bucket.tokens = tokens - taken
  bucket.at = now
  return taken
}

export function nextTokenAt(tokens: number, size: BucketSize, now: UnixMs): UnixMs {
  return (now + Math.ceil(Math.max(0, 1 - tokens) / size.perMs)) as UnixMs
}

export function fullAt(tokens: number, size: BucketSize, now: UnixMs): UnixMs {
  return (now + Math.ceil((size.capacity - tokens) / size.perMs)) as UnixMs
}

/**
 * Takes up to `wanted` tokens from a bucket shared by all processes, in one statement.
 *
 * The latest clock applies, unless it is more than a minute ahead and therefore wrong.
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

/** Deletes buckets that have been unused since `before`. They are full again. */
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
