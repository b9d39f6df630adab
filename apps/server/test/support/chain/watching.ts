import { jobNames } from '../../../src/platform/jobs/names.ts'
import { countStatements } from '../database/count-statements.ts'
import { always, type ChainOptions } from './chain-api.ts'
import { findBroken } from './check-invariants.ts'
import { farAwayMs, farChain, makeHidingEndpoint, openRpcProxy, resetTally } from './endpoints.ts'
import { startPayments } from './payments.ts'

/** The jobs that follow the watcher, up to the reconciled receipt. */
export const settlingWork = [
  jobNames.settleTransactions,
  jobNames.sweepDeposits,
  jobNames.scanDistributions,
  jobNames.distributeSplits,
  jobNames.reconcileReceipts,
]

/** Starts payments whose RPC endpoint hides logs on request. One confirmation is enough. */
export async function startHidingPayments(options: ChainOptions = {}) {
  const endpoint = makeHidingEndpoint()
  const context = await startPayments({ policy: always('seen'), ...options, outbound: endpoint.outbound })
  return {
    ...context,
    endpoint,
    /** Leaves the logs of transactions out of lists of logs. */
    hide: (hashes: readonly string[], times: 'once' | 'for ever' = 'for ever') =>
      endpoint.hide(({ transactionHash }) => hashes.includes(transactionHash), times),
    stop() {
      endpoint.far.isFar = false
      return context.stop()
    },
  }
}

/** Starts payments whose only endpoint is far away and can be delayed by a test. */
export async function startProxiedPayments() {
  const proxy = await openRpcProxy(farAwayMs)
  const endpoints = (url: string) => {
    proxy.leadTo(url)
    return [proxy.url]
  }
  const context = await startPayments({ policy: always('seen'), endpoints })
  return {
    ...context,
    proxy,
    async stop() {
      await context.stop()
      await proxy.stop()
    },
  }
}

/** Starts payments whose watcher's requests and statements are counted. One confirmation is enough. */
export async function startCountedPayments() {
  const far = farChain()
  const context = await startPayments({ policy: always('seen'), outbound: far.over })
  return {
    ...context,
    far,
    /** Runs the watcher to rest with its endpoint far away, and returns the cost. */
    async settle() {
      const { db, total } = countStatements(context.needs.db)
      resetTally(far.tally)
      await far.whileFar(() => context.scan({ db }))
      return { requests: far.tally.requests, calls: far.tally.calls, statements: total() }
    },
  }
}

/** Starts payments far from their chain. One confirmation is enough; a block is final two blocks later. */
export async function startSettlement(options: Pick<ChainOptions, 'rates'> = {}) {
  const far = farChain()
  const policy = always('seen')
  const context = await startPayments({ ...options, policy, slotsInAnEpoch: 1, outbound: far.over })
  far.isFar = true
  /** Runs watcher and keeper, block by block; returns whether `isDone` came true. */
  async function drive(isDone: () => Promise<boolean>, blockCount = 20) {
    for (let block = 0; block < blockCount; block++) {
      await context.scan()
      await context.run(...settlingWork)
      if (await isDone()) return true
      await context.mine()
      context.api.clock.jumpTo(context.api.clock.now() + 60_000)
    }
    return false
  }
  return {
    ...context,
    drive,
    /** As `drive`, until all receipts are reconciled. */
    async reconcile(ids: readonly string[], blockCount?: number) {
      const areReconciled = async () =>
        (await Promise.all(ids.map(context.detail))).every(({ status }) => status === 'reconciled')
      return drive(areReconciled, blockCount)
    },
    /** Units of money that are not in exactly one place, and statuses without a cause. */
    async findMisplaced(checks: { hasLostPayments?: boolean } = { hasLostPayments: true }) {
      const broken = await findBroken(context.needs.db, context.chain.rpcUrl, checks)
      return broken.filter((each) => !each.startsWith('5-'))
    },
  }
}
