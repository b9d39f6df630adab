import { openSender } from '../chain/own-transaction.ts'
import { settleTransactionsJob } from '../chain/own-transaction-lane.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Job } from '../platform/ticker.ts'
import { makeRefreshRatesJob } from '../pricing/rate-book.ts'
import { deploySplitsJob } from '../split/deploy-splits.ts'
import { makeDeliverJob } from '../webhooks/deliver-due.ts'
import type { CompleteConfig, World } from './world.ts'

/** Everything the service does without being asked, one line each. */
export function makeJobs(world: World, config: CompleteConfig, secrets: Secrets): Job[] {
  const { holder } = world
  const deployer = config.deployerKey && openSender(config.deployerKey)
  const keeper = config.keeperKey && openSender(config.keeperKey)
  const senders = [deployer, keeper].filter((sender) => sender !== undefined)
  return [
    makeRefreshRatesJob(world),
    makeDeliverJob({ ...world, outbound: world.webhooks, secrets }),
    ...(deployer ? [deploySplitsJob(world, deployer, holder)] : []),
    ...(senders.length > 0 ? [settleTransactionsJob(world, senders, holder)] : []),
  ]
}
