/**
 * Times that decide how soon a dead process is noticed and how often the service polls.
 *
 * Not settings: only tests that kill processes pass shorter times.
 */
export type Timings = {
  /**
   * Length of the lease of a job that runs in one process at a time. It is renewed after a third of this
   * time.
   */
  readonly leaseMs: number
  readonly intervalScale: number
  /** Time after which a payment that is not on the chain is sent to the facilitator again. */
  readonly facilitatorRetryMs: number
  readonly localBlockSeconds: number
}

export const usualTimings: Timings = {
  leaseMs: 3_000,
  intervalScale: 1,
  facilitatorRetryMs: 20_000,
  localBlockSeconds: 1,
}
