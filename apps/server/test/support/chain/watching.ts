import { jobNames } from '../../../src/platform/jobs/names.ts'
import { countStatements } from '../database/count-statements.ts'
import { always, type ChainOptions } from './chain-api.ts'
import { findBroken } from './check-invariants.ts'
import {
  type FarChain,
  farAwayMs,
  farChain,
  type HidingEndpoint,
  makeHidingEndpoint,
  openRpcProxy,
  type RpcProxy,
  resetTally,
} from './endpoints.ts'
import { type PaymentContext, startPayments } from './payments.ts'

/** A world whose endpoint leaves out logs as it is told; one confirmation is enough. It is near its chain at first. */
export type HidingPayments = PaymentContext & {
  readonly endpoint: HidingEndpoint
  /** Leaves the logs of transactions out of lists: for ever where nothing else is said. */
  hide(hashes: readonly string[], times?: 'once' | 'for ever'): void
}

/** Starts it. */
export async function startHidingPayments(options: ChainOptions = {}): Promise<HidingPayments> {
  const endpoint = makeHidingEndpoint()
  const world = await startPayments({ policy: always('seen'), ...options, outbound: endpoint.outbound })
  return {
    ...world,
    endpoint,
    hide: (hashes, times = 'for ever') =>
      endpoint.hide(({ transactionHash }) => hashes.includes(transactionHash), times),
    stop() {
      endpoint.far.isFar = false
      return world.stop()
    },
  }
}

/** What comes after the watcher, up to the reconciled receipt. */
export const settlingWork = [
  jobNames.settleTransactions,
  jobNames.sweepDeposits,
  jobNames.scanDistributions,
  jobNames.distributeSplits,
  jobNames.reconcileReceipts,
]

/** A world far from its chain, in which one confirmation is enough and a block is final two later. */
export type SettlementContext = PaymentContext & {
  /** Lets watcher and keeper work, block by block; `false` where it never `isDone`. */
  drive(isDone: () => Promise<boolean>, blockCount?: number): Promise<boolean>
  /** As {@link drive}, until the receipts are all reconciled. */
  reconcile(ids: readonly string[], blockCount?: number): Promise<boolean>
  /** Units of money that are not in exactly one place, and statuses without a cause. */
  findMisplaced(options?: { hasLostPayments?: boolean }): Promise<string[]>
}

/** Starts it. */
export async function startSettlement(options: Pick<ChainOptions, 'rates'> = {}): Promise<SettlementContext> {
  const far = farChain()
  const policy = always('seen')
  const world = await startPayments({ ...options, policy, slotsInAnEpoch: 1, outbound: far.over })
  far.isFar = true
  const settling: SettlementContext = {
    ...world,
    async drive(isDone, blockCount = 20) {
      for (let block = 0; block < blockCount; block++) {
        await world.scan()
        await world.run(...settlingWork)
        if (await isDone()) return true
        await world.mine()
        world.api.clock.jumpTo(world.api.clock.now() + 60_000)
      }
      return false
    },
    async reconcile(ids, blockCount) {
      const areReconciled = async () =>
        (await Promise.all(ids.map(world.detail))).every(({ status }) => status === 'reconciled')
      return settling.drive(areReconciled, blockCount)
    },
    async findMisplaced(options = { hasLostPayments: true }) {
      const broken = await findBroken(world.needs.db, world.chain.rpcUrl, options)
      return broken.filter((each) => !each.startsWith('5-'))
    },
  }
  return settling
}

/** What the watcher asked of its chain and its database until it had nothing more to do. */
export type Cost = {
  readonly requests: number
  readonly calls: ReadonlyMap<string, number>
  readonly statements: number
}

/** A world in which one confirmation is enough, and the price of catching up in it. */
export type CountedPayments = PaymentContext & {
  readonly far: FarChain
  /** Runs the watcher to rest with its endpoint far away. */
  settle(): Promise<Cost>
}

/** Starts it. */
export async function startCountedPayments(): Promise<CountedPayments> {
  const far = farChain()
  const world = await startPayments({ policy: always('seen'), outbound: far.over })
  return {
    ...world,
    far,
    async settle() {
      const { db, total } = countStatements(world.needs.db)
      resetTally(far.tally)
      await far.whileFar(() => world.scan({ db }))
      return { requests: far.tally.requests, calls: far.tally.calls, statements: total() }
    },
  }
}

/** A world whose only endpoint is far away and can be held up, and in which days go by. */
export type ProxiedPayments = PaymentContext & { readonly proxy: RpcProxy }

/** Starts it. */
export async function startProxiedPayments(): Promise<ProxiedPayments> {
  const proxy = await openRpcProxy(farAwayMs)
  const endpoints = (url: string) => {
    proxy.leadTo(url)
    return [proxy.url]
  }
  const world = await startPayments({ policy: always('seen'), endpoints })
  return {
    ...world,
    proxy,
    async stop() {
      await world.stop()
      await proxy.stop()
    },
  }
}
