import type { Timings } from '../../../src/platform/timings.ts'

/** Timings of a service that a test harms: five times shorter than those of the product. */
export const shortTimings: Timings = {
  leaseMs: 600,
  deliveryLeaseMs: 1_200,
  intervalScale: 0.2,
  localBlockSeconds: 0.2,
}
