import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import { logInAs, type TestSession } from '../asking/log-in.ts'
import type { ChainOptions } from './chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from './payment-world.ts'
import type { Answer } from './start-api.ts'

/** A payment world in which the merchant's owner decides on payments that match no receipt. */
export type InboxWorld = PaymentWorld & {
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
export async function startInboxWorld(options: ChainOptions = {}): Promise<InboxWorld> {
  const world = await startPaymentWorld(options)
  const { api, merchant } = world
  let owner = await logInAs(api, merchant.wallet, 'owner')
  let count = 0
  const inbox: InboxWorld = {
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
