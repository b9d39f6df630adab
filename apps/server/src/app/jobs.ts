import type { Secrets } from '../platform/secrets.ts'
import type { Job } from '../platform/ticker.ts'
import { makeRefreshRatesJob } from '../pricing/rate-book.ts'
import { makeDeliverJob } from '../webhooks/deliver-due.ts'
import type { CompleteConfig, World } from './world.ts'

/** Everything the service does without being asked, one line each. */
export function makeJobs(world: World, _config: CompleteConfig, secrets: Secrets): Job[] {
  return [makeRefreshRatesJob(world), makeDeliverJob({ ...world, outbound: world.webhooks, secrets })]
}
