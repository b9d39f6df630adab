import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { maxUint256, pad, parseEther, toEventSelector } from 'viem'
import type { Hex } from '../../src/chain/chain.ts'
import { permit2Address } from '../../src/payments/relaying/permit2.ts'
import { newWallet } from '../support/api/sessions.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { seededRandom } from '../support/test-random.ts'
import { Signer } from './chain-people.ts'
import { allowanceOf, balanceOf } from './chain-state.ts'
import type { Draw } from './draw.ts'
import type { Replica } from './replica.ts'
import type { SignedPayment, SignedPayments } from './signed-payment.ts'
import type { World } from './world.ts'

const transferred = toEventSelector('Transfer(address,address,uint256)')

/** The relayer's account with its operator, and the wallets that pay by signatures. */
export class Relaying implements SignedPayments {
  readonly privateKey: Hex
  readonly payers: readonly Signer[]
  readonly signed: SignedPayment[] = []
  readonly #world: World
  readonly #relayer: Signer

  constructor(world: World) {
    this.#world = world
    const random = seededRandom(`${world.seed}:relaying`)
    this.privateKey = newWallet(random).privateKey
    this.#relayer = new Signer(world.model, this.privateKey)
    this.payers = [0, 1].map(() => new Signer(world.model, newWallet(random).privateKey))
    for (const { address } of [this.#relayer, ...this.payers]) world.fund(address)
    for (const { address } of this.payers)
      for (const token of this.#tokens) {
        world.endow(address, token)
        world.model.set(allowanceOf(token, address, permit2Address), maxUint256)
      }
  }

  /** Something goes wrong with the money of the relayer or of a payer, or is put right. */
  async act(_: Replica, draw: Draw): Promise<void> {
    const payer = draw.pick(this.payers)
    const token = draw.pick(this.#tokens)
    const step = draw.weighted({ empty: 1, fill: 1.5, spend: 1, vanish: 1.5, refill: 1.5 })
    if (step === 'empty' || step === 'fill') this.#setGas(step === 'empty' ? 0n : parseEther('1000'))
    else if (step === 'spend') await this.#spendNonce()
    else if (step === 'vanish') await this.#vanish(payer, token)
    else await this.#refill(payer, token)
  }

  mend(): void {
    this.#setGas(parseEther('1000'))
  }

  addTo(sums: Map<string, bigint>, others: ReadonlyMap<Hex, unknown>): void {
    const deposits = new Map(
      this.signed.map((each) => {
        const { deposit, token } = each
        return [keyOf(each), `${this.#world.ownerOf(deposit)} ${deposit} ${token}`]
      }),
    )
    if (deposits.size === 0) return
    for (const { transactions } of this.#world.model.blocks)
      for (const { hash, isSuccess, events } of transactions) {
        if (!isSuccess || others.has(hash)) continue
        for (const { address, topics, data } of events) {
          const key = topics[0] === transferred && deposits.get(`${address} ${topics[1]} ${topics[2]}`)
          if (key) sums.set(key, (sums.get(key) ?? 0n) + BigInt(data))
        }
      }
  }

  get #tokens(): Wallet[] {
    return Object.values(this.#world.contracts.tokens)
  }

  #setGas(wei: bigint): void {
    this.#world.model.set(balanceOf(nativeAddress, this.#relayer.address), wei)
    this.#world.say(wei === 0n ? 'the relayer has nothing left for gas' : 'the relayer has enough for gas')
  }

  /** Somebody else uses a nonce of the relayer. */
  async #spendNonce(): Promise<void> {
    const transaction = await this.#relayer.send(this.#relayer.address, {})
    this.#world.say(
      `the operator sends with the relayer's key: ${transaction?.hash.slice(0, 10) ?? 'refused'}`,
    )
  }

  async #vanish(payer: Signer, token: Wallet): Promise<void> {
    const { model, stranger } = this.#world
    const units = model.head.state.get(balanceOf(token, payer.address))
    await payer.send(token, { data: transferData(stranger.address, units) })
    this.#world.say(`a payer sends all its ${this.#world.nameOf(token)} away`)
  }

  async #refill(payer: Signer, token: Wallet): Promise<void> {
    const { stranger } = this.#world
    await stranger.send(token, { data: transferData(payer.address, 10n ** 20n) })
    this.#world.say(`a payer gets ${this.#world.nameOf(token)}`)
  }
}

function keyOf({ token, payer, deposit }: SignedPayment): string {
  const topic = (address: Wallet) => pad(address.toLowerCase() as Hex)
  return `${token} ${topic(payer)} ${topic(deposit)}`
}
