import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { decodeEventLog, encodeFunctionData } from 'viem'
import type { Hex } from '../../src/chain/chain.ts'
import { depositAddress } from '../../src/payments/attempts/references.ts'
import { transferData } from '../support/chain/chain-api.ts'
import type { MinedTransaction } from './chain-model.ts'
import type { Draw } from './draw.ts'
import type { Replica } from './replica.ts'
import type { Sale } from './sale.ts'
import type { SentMoney, World } from './world.ts'

/** Somebody without a receipt, who sends money to the merchant's split in every way that the contracts allow. */
export class Stranger {
  readonly #world: World
  readonly #sales: readonly Sale[]

  constructor(world: World, sales: readonly Sale[]) {
    this.#world = world
    this.#sales = sales
  }

  async act(_: Replica, draw: Draw): Promise<void> {
    const attempts = this.#sales.flatMap(({ attempt }) => attempt ?? [])
    if (attempts.length === 0) return
    const attempt = draw.pick(attempts)
    const token = draw.pick([nativeAddress, ...Object.values(this.#world.contracts.tokens)])
    const units = BigInt(1 + draw.below(3_000_000))
    const foreign = attempts.filter(({ payTo }) => payTo !== attempt.payTo)
    const step = draw.weighted({
      ...{ sweep: 2, stray: 2, direct: 1.5, reference: 1.5, dust: 1 },
      ...{ foreignSweep: foreign.length > 0 ? 1.5 : 0, foreignReference: foreign.length > 0 ? 1.5 : 0 },
    })
    // The reference of one merchant, and the split of another.
    if (step === 'foreignSweep' || step === 'foreignReference') {
      const reference = draw.pick(foreign).reference as Hex
      if (step === 'foreignSweep') return this.#sweepStray(attempt, token, units, reference)
      return this.#pay(attempt, token, units, reference, 'with the reference of another split')
    }
    if (step === 'sweep') return this.#sweep(attempt, token)
    if (step === 'stray') return this.#sweepStray(attempt, token, units, randomReference(draw))
    if (step === 'reference') return this.#pay(attempt, token, units, randomReference(draw))
    const to = (step === 'direct' ? attempt.payTo : attempt.depositAddress) as Wallet
    const transaction = await this.#transfer(token, to, units)
    this.#note(transaction, { to, source: to, token, units }, step === 'direct' ? 'to the split' : 'as dust')
  }

  /** Sweeps the deposit of a buyer, which moves money that the service knows. */
  async #sweep({ payTo, reference }: AttemptView, token: Wallet): Promise<void> {
    const transaction = await this.#callSweep(payTo as Wallet, reference as Hex, token)
    this.#world.say(`a stranger sweeps the deposit of ${reference.slice(0, 10)}: ${shown(transaction)}`)
  }

  /** Pays to a deposit address that the service never issued, and sweeps it. */
  async #sweepStray(attempt: AttemptView, token: Wallet, units: bigint, reference: Hex): Promise<void> {
    const split = attempt.payTo as Wallet
    const deposit = depositAddress(this.#world.contracts.factory, split, reference)
    this.#world.strays.add(deposit)
    await this.#transfer(token, deposit, units)
    const transaction = await this.#callSweep(split, reference, token)
    const movedBy = (mined: MinedTransaction) => sweptFrom(deposit, mined)
    this.#note(transaction, { to: split, source: deposit, token, units, movedBy }, 'by a sweep of its own')
  }

  async #pay(
    attempt: AttemptView,
    token: Wallet,
    units: bigint,
    reference: Hex,
    how = 'with its own reference',
  ): Promise<void> {
    const { stranger } = this.#world
    const split = attempt.payTo as Wallet
    const money = { to: split, source: reference, token, units }
    const abi = merchantSplitAbi
    if (token === nativeAddress) {
      const data = encodeFunctionData({ abi, functionName: 'pay', args: [reference] })
      return this.#note(await stranger.send(split, { data, value: units }), money, how)
    }
    const approve = encodeFunctionData({ abi: approveAbi, args: [split, units] })
    await stranger.send(token, { data: approve })
    const data = encodeFunctionData({ abi, functionName: 'payToken', args: [token, units, reference] })
    this.#note(await stranger.send(split, { data }), money, how)
  }

  #callSweep(split: Wallet, reference: Hex, token: Wallet) {
    const args = [split, reference, token] as const
    const data = encodeFunctionData({ abi: splitFactoryAbi, functionName: 'sweep', args })
    return this.#world.stranger.send(this.#world.contracts.factory, { data })
  }

  #transfer(token: Wallet, to: Wallet, units: bigint) {
    const { stranger } = this.#world
    if (token === nativeAddress) return stranger.send(to, { value: units })
    return stranger.send(token, { data: transferData(to, units) })
  }

  #note(
    transaction: SentMoney['transaction'] | undefined,
    money: Omit<SentMoney, 'transaction'>,
    how: string,
  ): void {
    if (transaction) this.#world.sent.push({ transaction, ...money })
    const what = `${money.units} of ${this.#world.nameOf(money.token)}`
    this.#world.say(`a stranger sends ${what} ${how}: ${shown(transaction)}`)
  }
}

const approveAbi = [
  {
    type: 'function',
    name: 'approve',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'spender', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
    outputs: [],
  },
] as const

function randomReference(draw: Draw): Hex {
  return `0x${Array.from({ length: 64 }, () => draw.below(16).toString(16)).join('')}`
}

function sweptFrom(deposit: Wallet, { events }: MinedTransaction): bigint {
  let sum = 0n
  for (const { topics, data } of events) {
    const log = { abi: splitFactoryAbi, topics: topics as [Hex, ...Hex[]], data, strict: false }
    const { eventName, args } = topics.length === 0 ? {} : readEvent(log)
    if (eventName === 'DepositSwept' && args?.deposit === deposit) sum += args.amount
  }
  return sum
}

type Swept = { eventName?: string; args?: { deposit: Wallet; amount: bigint } }

function readEvent(log: Parameters<typeof decodeEventLog>[0]): Swept {
  try {
    return decodeEventLog(log) as unknown as Swept
  } catch {
    return {}
  }
}

function shown(transaction: { readonly hash: Hex } | undefined): string {
  return transaction ? transaction.hash.slice(0, 10) : 'the mempool refuses'
}
