import { type FarChain, farChain, resetTally } from '../chain/far-chain.ts'
import { countStatements } from '../database/count-statements.ts'
import { always } from './chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from './payment-world.ts'

/** What the watcher asked of its chain and its database until it had nothing more to do. */
export type Cost = {
  readonly requests: number
  readonly calls: ReadonlyMap<string, number>
  readonly statements: number
}

/** A world in which one confirmation is enough, and the price of catching up in it. */
export type CountedWorld = PaymentWorld & {
  readonly far: FarChain
  /** Runs the watcher to rest with its endpoint far away. */
  settle(): Promise<Cost>
}

/** Starts it. */
export async function startCountedWorld(): Promise<CountedWorld> {
  const far = farChain()
  const world = await startPaymentWorld({ policy: always('seen'), outbound: far.over })
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
