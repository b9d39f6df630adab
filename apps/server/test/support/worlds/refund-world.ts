import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { logInAs, type TestSession } from '../asking/log-in.ts'
import { newWallet } from '../asking/new-wallet.ts'
import { type PaymentWorld, startPaymentWorld } from './payment-world.ts'
import type { Answer } from './start-api.ts'

/** A payment world in which the merchant's owner gives money back to one buyer. */
export type RefundWorld = {
  readonly world: PaymentWorld
  readonly buyer: Wallet
  /** As logged in last. */
  readonly owner: TestSession
  /** Logs the owner in anew, at the time of the chain's newest block. */
  logIn(): Promise<TestSession>
  /** By the owner where `options` says nothing else. */
  refund(body: object, options?: object): Promise<Answer>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into the answer
  detail(id: string): Promise<any>
  newId(): string
  /** A receipt that is paid on the chain. */
  paid(usd: number, token?: TokenSymbol, extra?: bigint): Promise<string>
  /** Sends a token, or ETH, to somebody; mined unless said otherwise. */
  send(to: string, token: TokenSymbol, units: bigint, blocks?: number): Promise<Hex>
  /** Runs the job that looks at refunds' transactions, some time later. */
  verify(ms?: number): Promise<void>
}

/** Starts it. */
export async function startRefundWorld(): Promise<RefundWorld> {
  const world = await startPaymentWorld()
  const buyer = newWallet().wallet
  const { wallet } = world.merchant
  let owner = await logInAs(world.api, wallet, 'owner')
  let count = 0
  const made: RefundWorld = {
    world,
    buyer,
    get owner() {
      return owner
    },
    async logIn() {
      await world.syncClock()
      owner = await logInAs(world.api, wallet, 'owner')
      return owner
    },
    refund: (body, options = { session: owner }) =>
      world.api.call('POST', '/api/receipts/refund', { body: { wallet, buyer, ...body }, ...options }),
    detail: (id) => world.detail(id),
    newId: () => `refund-${++count}`,
    async paid(usd, token = 'USDC', extra = 0n) {
      const id = made.newId()
      await world.newReceipt(id, usd)
      const attempt = await world.attempt(id, token)
      await world.pay(attempt, 'transfer', BigInt(attempt.amount) + extra)
      await world.mine(6)
      await world.scan()
      if ((await world.status(id)) !== 'paid') throw new Error('what was paid is paid')
      await world.syncClock()
      return id
    },
    async send(to, token, units, blocks = 6) {
      const { hash } = await world.transfer(world.tokenAddress(token), to as Hex, units)
      if (blocks > 0) await world.mine(blocks)
      return hash
    },
    async verify(ms = 2_000) {
      world.api.clock.jumpTo(world.api.clock.now() + ms)
      await world.run(jobNames.verifyRefunds)
    },
  }
  return made
}
