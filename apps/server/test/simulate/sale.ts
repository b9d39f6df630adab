import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../src/chain/chain.ts'
import { forwardCall } from '../support/chain/calls.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { Caller } from './caller.ts'
import type { Signer } from './chain-people.ts'
import type { Draw } from './draw.ts'
import { nameOfReceipt, otherMerchant } from './merchants.ts'
import type { Replica } from './replica.ts'
import { findWrongOffer } from './split-rest.ts'
import type { World } from './world.ts'

const symbols = ['USDC', 'USDT', 'ETH', 'cbBTC'] as const
/** Below the amount that must be safe, at it, and at the amount that must be final. */
export const prices = [25, 140, 1_200] as const

export type Seller = { readonly key: string; readonly wallet: Wallet; readonly webhookUrl: string }

/** One receipt, and what its merchant and its buyer do about it. */
export class Sale {
  readonly id: string
  /** Names the receipt and its merchant. */
  readonly name: string
  readonly priceUsd: number
  /** The newest attempt that a page shows. */
  attempt: AttemptView | undefined
  readonly #asked = new Map<string, { token: Wallet; units: bigint; sources: readonly string[] }>()
  readonly #world: World
  readonly #seller: Seller
  readonly #buyer: Signer
  isCreated = false
  isCancelled = false
  /** Whether the merchant may have changed the total. */
  isEdited = false
  /** Whether the merchant tried to refund it. */
  isRefunded = false
  readonly #caller: Caller
  readonly #expiresAfterMs: number | undefined
  #paymentCount = 0
  /** Split of the receipt. */
  #payTo: Wallet | undefined

  constructor(world: World, seller: Seller, id: string, draw: Draw) {
    this.#world = world
    this.#seller = seller
    this.name = nameOfReceipt(seller.wallet, id)
    this.#caller = new Caller(world, this.name)
    this.id = id
    this.priceUsd = draw.pick(prices)
    this.#buyer = draw.pick(world.buyers)
    if (world.has.expiries && draw.isIn(0.7)) this.#expiresAfterMs = 12_000 + draw.below(30_000)
  }

  /** Takes a step that is possible now. Does nothing while a request of this sale is open. */
  async act(replica: Replica, draw: Draw): Promise<void> {
    if (this.#caller.isBusy) return
    if (!this.isCreated) return this.#create(replica)
    if (!this.attempt) return this.#open(replica, draw)
    const step = draw.weighted({ pay: 6, open: 1, cancel: 0.3, dust: 0.5 })
    if (step === 'pay' && this.#paymentCount < 3) await this.#pay(draw)
    else if (step === 'open') await this.#open(replica, draw)
    else if (step === 'cancel') await this.#cancel(replica)
    else if (step === 'dust') await this.#dust()
  }

  /** The service may forget the receipt. The buyer's page stays open, with an address of the lost time. */
  remember(): () => void {
    const { isCreated } = this
    const asked = new Set(this.#asked.keys())
    return () => {
      this.isCreated = isCreated
      for (const id of this.#asked.keys()) if (!asked.has(id)) this.#asked.delete(id)
    }
  }

  /** Whether the chain has transfers of the full amount to one of the attempts. */
  isCovered(): boolean {
    const received = this.#world.receivedAt()
    return [...this.#asked.values()].some(({ token, units, sources }) => {
      const paid = sources.reduce(
        (sum, source) => sum + (received.get(`${this.#seller.wallet} ${source} ${token}`) ?? 0n),
        0n,
      )
      return paid >= units
    })
  }

  #create(replica: Replica): Promise<void> {
    const { id, priceUsd: totalUsd } = this
    const lineItems = [{ label: 'Thing', priceUsd: totalUsd }]
    const expiry = this.#expiresAfterMs
    const body = {
      ...{ id, lineItems, totalUsd, webhook_url: this.#seller.webhookUrl },
      ...(expiry !== undefined && { expiresAt: this.#world.clock.now() + expiry }),
    }
    return this.#caller.ask(
      replica,
      'POST',
      '/api/receipts',
      { key: this.#seller.key, body },
      ({ status }) => {
        this.isCreated = status === 201 || status === 200
      },
    )
  }

  #open(replica: Replica, draw: Draw): Promise<void> {
    const path = `/api/checkout/${this.id}/attempts?recipient=${this.#seller.wallet}`
    return this.#caller.ask(
      replica,
      'POST',
      path,
      { body: { token: draw.pick(symbols) } },
      ({ status, body }) => {
        if (status === 201) this.offer(body)
      },
    )
  }

  /** Notes what a page asks the buyer to pay. */
  offer(attempt: AttemptView): void {
    const payTo = attempt.payTo as Wallet
    const wrong = this.#seller.wallet === otherMerchant ? undefined : findWrongOffer(this.#world, payTo)
    if (wrong) throw new Error(`${this.name}: ${wrong}`)
    if (this.#payTo && this.#payTo !== payTo) throw new Error(`${this.name} changes its recipients`)
    this.#payTo = payTo
    this.attempt = attempt
    const { attemptId, depositAddress, reference, amount, expiresAt } = attempt
    const [token, sources] = [this.#tokenOf(attempt), [depositAddress, reference]]
    this.#world.handOut(attemptId, this.name, sources)
    this.#world.asked.push({ receipt: this.name, sources, payTo, token, expiresAt })
    for (const address of [payTo, depositAddress as Wallet])
      this.#world.owners.set(address, this.#seller.wallet)
    this.#asked.set(attemptId, { token, units: BigInt(amount), sources })
  }

  #cancel(replica: Replica): Promise<void> {
    this.isCancelled = true
    return this.#caller.ask(
      replica,
      'POST',
      `/api/receipts/${this.id}/cancel`,
      { key: this.#seller.key },
      () => {},
    )
  }

  async #pay(draw: Draw): Promise<void> {
    const attempt = this.attempt as AttemptView
    const asked = BigInt(attempt.remaining)
    const part = draw.weighted({ all: 6, half: 1, more: 1 })
    const units = part === 'all' ? asked : part === 'half' ? asked / 2n : asked + asked / 3n
    if (units === 0n) return
    this.#paymentCount++
    if (draw.isIn(0.3) && part === 'all') await this.#payByCall(attempt)
    else await this.#transfer(this.#buyer, attempt, { units, isForwarded: draw.isIn(0.5) })
  }

  /** @param payment.isForwarded - Whether a contract sends native money, which leaves no log. */
  async #transfer(
    from: Signer,
    attempt: AttemptView,
    { units, isForwarded }: { units: bigint; isForwarded: boolean },
  ): Promise<void> {
    const to = attempt.depositAddress as Wallet
    const token = this.#tokenOf(attempt)
    const call =
      token !== nativeAddress
        ? { to: token, data: transferData(to, units) }
        : isForwarded
          ? forwardCall(to, units)
          : { to, value: units }
    const how = token === nativeAddress && isForwarded ? 'lets a contract send' : 'transfers'
    this.#note(await from.send(call.to as Wallet, call), { to, source: to, token, units, how })
  }

  async #payByCall(attempt: AttemptView): Promise<void> {
    const token = this.#tokenOf(attempt)
    for (const { kind, to, data, value } of attempt.calls) {
      const sent = await this.#buyer.send(to as Wallet, { data: data as Hex, value: BigInt(value) })
      if (kind === 'pay')
        this.#note(sent, {
          to: to as Wallet,
          source: attempt.reference,
          token,
          units: BigInt(attempt.remaining),
          how: 'pays by a call',
        })
    }
  }

  /** A stranger sends one base unit of another token. */
  async #dust(): Promise<void> {
    if (this.attempt)
      await this.#transfer(this.#world.stranger, this.attempt, { units: 1n, isForwarded: false })
  }

  #note(
    transaction: Awaited<ReturnType<Signer['send']>>,
    { how, ...money }: { to: Wallet; source: string; token: Wallet; units: bigint; how: string },
  ): void {
    const { sent } = this.#world
    // A payment that a reorg lost may be sent again, bit by bit the same.
    const isNew = !sent.some((each) => each.transaction.hash === transaction?.hash)
    if (transaction && isNew) sent.push({ transaction, ...money })
    const what = `${money.units} of ${this.attempt?.token}`
    this.#world.say(
      transaction
        ? `${this.name}: somebody ${how} ${what} in ${transaction.hash.slice(0, 10)}`
        : `${this.name}: the mempool refuses ${what}`,
    )
  }

  #tokenOf({ token }: AttemptView): Wallet {
    const { tokens } = this.#world.contracts
    return token === 'ETH' ? nativeAddress : (tokens[token as keyof typeof tokens] as Wallet)
  }
}
