import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { Answer } from '../api/call-api.ts'
import { logInAs, newWallet, type TestSession } from '../api/sessions.ts'
import type { ChainOptions } from './chain-api.ts'
import { type PaymentContext, startPayments } from './payments.ts'

/** A payment world in which the merchant's owner decides on payments that match no receipt. */
export type UnmatchedContext = PaymentContext & {
  /** As logged in last. */
  readonly owner: TestSession
  /** Logs the owner in anew, at the time of the chain's newest block. */
  logIn(): Promise<void>
  /** By the owner where `options` says nothing else. */
  decide(id: string, body: unknown, options?: object): Promise<Answer>
  list(query?: string): Promise<UnmatchedPayment[]>
  found(hash: string | null): Promise<UnmatchedPayment>
  /** Makes a receipt; its id. */
  newTarget(usd: number): Promise<string>
  /** A paid receipt, and the same amount once more for it. */
  paidTwice(usd: number): Promise<{ id: string; attempt: AttemptView; payment: UnmatchedPayment }>
  /** Time passes for the service alone. */
  passClock(ms: number): void
}

/** Starts it. */
export async function startUnmatchedPayments(options: ChainOptions = {}): Promise<UnmatchedContext> {
  const world = await startPayments(options)
  const { api, merchant } = world
  let owner = await logInAs(api, merchant.wallet, 'owner')
  let count = 0
  const inbox: UnmatchedContext = {
    ...world,
    get owner() {
      return owner
    },
    async logIn() {
      await world.syncClock()
      owner = await logInAs(api, merchant.wallet, 'owner')
    },
    decide: (id, body, options = { session: owner }) =>
      api.call('POST', `/api/payments/unmatched/${id}`, { body, ...options }),
    async list(query = '') {
      const answer = await api.call('GET', `/api/payments/unmatched${query}`, { session: owner })
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body.payments
    },
    async found(hash) {
      const payment = (await inbox.list('?state=all')).find((each) => each.transactionHash === hash)
      if (!payment) throw new Error('it is in the inbox')
      return payment
    },
    async newTarget(usd) {
      const id = `inbox-${++count}`
      await world.newReceipt(id, usd)
      return id
    },
    async paidTwice(usd) {
      const id = await inbox.newTarget(usd)
      const attempt = await world.attempt(id, 'USDC')
      await world.pay(attempt, 'transfer')
      await world.mine()
      await world.scan()
      const { hash } = await world.pay(attempt, 'transfer', BigInt(attempt.amount))
      await world.mine(6)
      await world.scan()
      return { id, attempt, payment: await inbox.found(hash) }
    },
    passClock: (ms) => api.clock.jumpTo(api.clock.now() + ms),
  }
  return inbox
}

/** A payment world in which the merchant's owner gives money back to one buyer. */
export type RefundContext = {
  readonly world: PaymentContext
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
export async function startRefunds(): Promise<RefundContext> {
  const world = await startPayments()
  const buyer = newWallet().wallet
  const { wallet } = world.merchant
  let owner = await logInAs(world.api, wallet, 'owner')
  let count = 0
  const made: RefundContext = {
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
      const attempt = await world.open(id, usd, token)
      await world.pay(attempt, 'transfer', BigInt(attempt.amount) + extra)
      await world.mineAndScan(6)
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
