/**
 * Lengths that decide how soon a process is missed and how often the service polls.
 *
 * They are not settings: no environment variable changes them. Tests that kill processes pass shorter ones.
 */
export type Timings = {
  /** Length of the lease of a job that runs on one process at a time. It is renewed after a third of it. */
  readonly leaseMs: number
  /** Factor on the interval of every job. */
  readonly intervalScale: number
  /** Time after which a facilitator is given a payment again that the chain does not have. */
  readonly facilitatorRetryMs: number
  /** Seconds between two blocks of the local chain. */
  readonly localBlockSeconds: number
}

/** Timings of the product. */
export const usualTimings: Timings = {
  leaseMs: 3_000,
  intervalScale: 1,
  facilitatorRetryMs: 20_000,
  localBlockSeconds: 1,
}
