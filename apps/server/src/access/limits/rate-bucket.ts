import type { UnixMs } from '@sluice/protocol/time.ts'

/** A token bucket: full at first, refilled evenly, never above its capacity. */
export type Bucket = { tokens: number; at: UnixMs }

/** What a bucket holds and how fast it fills again. */
export type BucketSize = { readonly capacity: number; readonly perMs: number }

/** The tokens in a bucket now. A clock that went back fills nothing. */
export function tokensIn(bucket: Bucket, size: BucketSize, now: UnixMs): number {
  return Math.min(size.capacity, bucket.tokens + Math.max(0, now - bucket.at) * size.perMs)
}

/** Takes up to `wanted` whole tokens out of the bucket; how many there were. */
export function takeFrom(bucket: Bucket, size: BucketSize, wanted: number, now: UnixMs): number {
  const tokens = tokensIn(bucket, size, now)
  const taken = Math.min(wanted, Math.floor(tokens))
  bucket.tokens = tokens - taken
  bucket.at = now
  return taken
}

/** When a bucket with `tokens` left will have one again; at once where it has one. */
export function nextTokenAt(tokens: number, size: BucketSize, now: UnixMs): UnixMs {
  return (now + Math.ceil(Math.max(0, 1 - tokens) / size.perMs)) as UnixMs
}

/** When a bucket with `tokens` left will be full. */
export function fullAt(tokens: number, size: BucketSize, now: UnixMs): UnixMs {
  return (now + Math.ceil((size.capacity - tokens) / size.perMs)) as UnixMs
}
