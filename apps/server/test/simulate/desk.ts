import type { UnmatchedDecisionRequest, UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../src/chain/chain.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { Caller } from './caller.ts'
import type { Draw } from './draw.ts'
import type { Replica } from './replica.ts'
import type { Sale, Seller } from './sale.ts'
import type { World } from './world.ts'

type Session = { readonly cookie: string; readonly csrfToken: string; readonly since: number }

const freshMs = 4 * 60_000

/** The merchant in person, who decides unmatched payments and refunds receipts. */
export class Desk {
  readonly #world: World
  readonly #seller: Seller & { readonly privateKey: Hex }
  readonly #sales: readonly Sale[]
  readonly #caller: Caller
  #session: Session | undefined
  #cases: readonly UnmatchedPayment[] = []

  constructor(world: World, seller: Seller & { readonly privateKey: Hex }, sales: readonly Sale[]) {
    this.#world = world
    this.#seller = seller
    this.#sales = sales
    this.#caller = new Caller(world, 'the merchant')
  }

  async act(replica: Replica, draw: Draw): Promise<void> {
    if (this.#caller.isBusy) return
    const session = this.#session
    if (!session || this.#world.clock.now() - session.since > freshMs) return this.#logIn(replica)
    const open = draw.weighted({ look: 1, decide: this.#cases.length > 0 ? 3 : 0, refund: 2 })
    if (open === 'look') await this.#look(replica, session)
    else if (open === 'decide') await this.#decide(replica, session, draw)
    else await this.#refund(replica, session, draw)
  }

  #logIn(replica: Replica): Promise<void> {
    const { wallet: address, privateKey } = this.#seller
    const since = this.#world.clock.now()
    return this.#caller.run(replica, 'logs in', async (call) => {
      const challenge = await call('POST', '/api/auth/challenge', { body: { address } })
      if (challenge.status !== 200) return
      const { typedData } = challenge.body
      const signature = await privateKeyToAccount(privateKey).signTypedData(typedData)
      const { nonce } = typedData.message
      const login = await call('POST', '/api/auth/login', { body: { address, signature, nonce } })
      if (login.status !== 200) return
      this.#session = { cookie: login.cookie, csrfToken: login.body.csrfToken, since }
    })
  }

  #look(replica: Replica, session: Session): Promise<void> {
    const path = '/api/payments/unmatched?state=all'
    return this.#caller.ask(replica, 'GET', path, { session }, ({ status, body }) => {
      if (status === 200) this.#cases = body.payments
    })
  }

  /** Decides a case, at times one that is decided already. */
  async #decide(replica: Replica, session: Session, draw: Draw): Promise<void> {
    const each = draw.pick(this.#cases)
    const kind = draw.weighted({ apply: 3, keep: 1, refund: 1, send: 2 })
    const body: UnmatchedDecisionRequest =
      kind === 'apply'
        ? { action: 'apply', receiptId: draw.pick(this.#sales).id }
        : { action: kind === 'keep' ? 'keep' : 'refund' }
    const to = (each.payer ?? this.#world.stranger.address) as Wallet
    const token = each.tokenAddress as Wallet
    const sent = kind === 'send' ? await this.#send(to, token, BigInt(each.amountRaw)) : undefined
    if (kind === 'send' && !sent) return
    this.#world.say(`the merchant decides to ${kind} ${each.amountRaw} of ${this.#world.nameOf(token)}`)
    const request = { session, body: { ...body, ...(sent && { txHash: sent }) } }
    await this.#caller.ask(replica, 'POST', `/api/payments/unmatched/${each.id}`, request, () => {})
  }

  /** Refunds a receipt, in full or half of it, in USDC or without a transaction. */
  async #refund(replica: Replica, session: Session, draw: Draw): Promise<void> {
    const covered = this.#sales.filter((each) => each.isCovered())
    if (covered.length === 0) return this.#look(replica, session)
    const sale = draw.pick(covered)
    const usd = draw.isIn(0.6) ? sale.priceUsd : sale.priceUsd / 2
    const { wallet } = this.#seller
    const buyer = this.#world.buyers[0]?.address as Wallet
    const isSent = draw.isIn(0.7)
    const cents = BigInt(Math.round(usd * 100))
    const short = draw.isIn(0.15) ? 2n : 1n
    const { USDC } = this.#world.contracts.tokens as { USDC: Wallet }
    const sent = isSent ? await this.#send(buyer, USDC, (cents * 10_000n) / short) : undefined
    if (isSent && !sent) return
    sale.isRefunded = true
    this.#world.say(
      `the merchant refunds ${usd} USD of ${sale.id}${short > 1n ? ', and sends half of it' : ''}`,
    )
    const body = { receiptId: sale.id, wallet, buyer, usd, ...(sent && { txHash: sent }) }
    await this.#caller.ask(replica, 'POST', '/api/receipts/refund', { session, body }, () => {})
  }

  async #send(to: Wallet, token: Wallet, units: bigint): Promise<Hex | undefined> {
    const { merchant, refunds } = this.#world
    const transaction =
      token === nativeAddress
        ? await merchant.send(to, { value: units })
        : await merchant.send(token, { data: transferData(to, units) })
    if (!transaction) return undefined
    refunds.set(transaction.hash, { to, token, units })
    this.#world.say(
      `the merchant sends ${units} of ${this.#world.nameOf(token)}: ${transaction.hash.slice(0, 10)}`,
    )
    return transaction.hash
  }
}
