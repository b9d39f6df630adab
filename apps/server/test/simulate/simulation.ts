import { createHash } from 'node:crypto'
import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../src/chain/chain.ts'
import { describeNetwork } from '../../src/chain/networks.ts'
import { connectChain } from '../../src/chain/rpc/connect-chain.ts'
import { randomFraction } from '../../src/kernel/random.ts'
import { type LocalContracts, localContracts } from '../../src/local/deploy-contracts.ts'
import { jobNames } from '../../src/platform/jobs/names.ts'
import { configureSplit } from '../../src/split/setup/configure-split.ts'
import { newWallet } from '../support/api/sessions.ts'
import { type JobName, startApi, type TestApi } from '../support/api/start-api.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { seededRandom } from '../support/test-random.ts'
import { ChainModel, readTransaction } from './chain-model.ts'
import { balanceOf } from './chain-state.ts'
import { openModelOutbound } from './model-outbound.ts'
import { RecordedDatabase, recordOutbound } from './recorder.ts'

const startsAt = Date.UTC(2026, 0, 15, 12)
const mostTurns = 2_000
const ether = 10n ** 18n
const purse = 10n ** 12n

/** Everything that the service did, and in which order. */
export type Trace = {
  readonly lines: readonly string[]
  readonly hash: string
  /** Base units at the end, by the chain alone. */
  readonly units: { readonly paid: bigint; readonly released: bigint; readonly inSplit: bigint }
}

/** Jobs that compete for turns. */
const work: readonly JobName[] = [
  jobNames.scanTransfers,
  jobNames.scanClosed,
  jobNames.settleTransactions,
  jobNames.deploySplits,
  jobNames.sweepDeposits,
  jobNames.scanDistributions,
  jobNames.distributeSplits,
  jobNames.reconcileReceipts,
]

/**
 * Runs one sale from the receipt to the distribution on a virtual clock and a modeled chain. The seed decides
 * every random byte of the service, and whether a job, the chain or the buyer has the next turn. Up to three
 * reorgs drop blocks that are not final, with or without their transactions.
 *
 * @param factoryCode - Code of the split factory, which the service verifies.
 */
export async function simulate(seed: number, factoryCode: Hex): Promise<Trace> {
  const lines: string[] = []
  const random = seededRandom(`${seed}:service`)
  const choices = seededRandom(`${seed}:choices`)
  const below = (count: number) => Math.floor(randomFraction(choices) * count)
  const [keeper, buyer] = [newWallet(choices), newWallet(choices)]
  const contracts = localContracts()
  const model = openModel(seed, contracts)
  for (const { wallet } of [keeper, buyer]) model.set(balanceOf(nativeAddress, wallet), 1_000n * ether)
  model.set(balanceOf(contracts.tokens.USDC, buyer.wallet), purse)
  const outbound = recordOutbound(
    lines,
    openModelOutbound(model, new Map([[contracts.factory, factoryCode]])),
  )
  const platform = { feeBps: 50 as Bps, recipient: newWallet(choices).wallet }
  const api = await startApi({
    now: startsAt,
    random,
    between: (db) => new RecordedDatabase(lines, db),
    chain: (needs) =>
      connectChain({ ...needs, outbound }, describeNetwork(31_337, contracts), ['http://model.test']),
    platformFeeBps: platform.feeBps,
    platformRecipient: platform.recipient,
    deployerKey: keeper.privateKey,
    keeperKey: keeper.privateKey,
  })
  try {
    const merchant = await api.addMerchant()
    const { split } = await configureSplit({ ...api.needs, platform }, merchant.wallet, {})
    await api.run(jobNames.refreshRates, jobNames.scanTransfers)
    const sale = new Sale(api, model, { key: merchant.key, merchant: merchant.wallet }, buyer.privateKey)
    let reorgsLeft = below(4)
    for (let turn = 0; !(await sale.isOver()); turn++) {
      if (turn === mostTurns) throw new Error(`the sale of seed ${seed} is not over`)
      const chosen = below(work.length + 4)
      const job = work[chosen]
      lines.push(`turn ${turn}: ${job ?? chosen}`)
      if (job) await api.job(job).run(new AbortController().signal)
      else if (chosen === work.length) await sale.goOn()
      else if (chosen === work.length + 1 && reorgsLeft > 0) {
        reorg(model, below)
        reorgsLeft -= 1
      } else {
        const seconds = 1 + below(3)
        await api.clock.advance(seconds * 1000)
        model.mine(1, seconds)
      }
    }
    const held = (owner: string) => model.head.state.get(balanceOf(contracts.tokens.USDC, owner))
    const released = split.recipients.reduce((sum, { address }) => sum + held(address), 0n)
    const units = { paid: purse - held(buyer.wallet), released, inSplit: held(split.address) }
    return { lines, units, hash: createHash('sha256').update(lines.join('\n')).digest('hex') }
  } finally {
    await api.stop()
  }
}

function openModel(seed: number, { factory, tokens }: LocalContracts): ChainModel {
  const kinds = Object.entries(tokens).map(
    ([symbol, token]) => [token, symbol === 'USDT' ? 'USDT' : 'standard'] as const,
  )
  return new ChainModel({
    chainId: 31_337,
    seed,
    slotsInAnEpoch: 2,
    first: { number: 10n, timestamp: BigInt(startsAt / 1000), baseFee: 10n ** 9n, gasUsed: 0n },
    contracts: { factory, tokens: new Map(kinds), refusing: new Set(), splits: new Map() },
  })
}

/** Replaces blocks that are not final. Dropped transactions return to the mempool. */
function reorg(model: ChainModel, below: (count: number) => number): void {
  const { number } = model.head
  const deepest = Math.min(Number(number - model.final.number), Number(number - model.options.first.number))
  if (deepest === 0) return
  const depth = 1 + below(deepest)
  const removed = model.blocks.slice(-depth).flatMap(({ transactions }) => transactions)
  const replay = removed.flatMap((transaction) =>
    below(2) === 0 ? [] : [{ transaction, offset: below(depth) }],
  )
  model.reorg(depth, replay, 1)
  for (const transaction of removed) model.send(transaction)
}

/** One receipt, and what its merchant and its buyer do next. */
class Sale {
  readonly #api: TestApi
  readonly #model: ChainModel
  readonly #seller: { readonly key: string; readonly merchant: Wallet }
  readonly #buyer: ReturnType<typeof privateKeyToAccount>
  #attempt: AttemptView | undefined
  #step = 0

  constructor(
    api: TestApi,
    model: ChainModel,
    seller: { readonly key: string; readonly merchant: Wallet },
    buyerKey: Hex,
  ) {
    this.#api = api
    this.#model = model
    this.#seller = seller
    this.#buyer = privateKeyToAccount(buyerKey)
  }

  /** Takes the next step. A step that the service refuses is taken again later. */
  async goOn(): Promise<void> {
    const steps = [() => this.#create(), () => this.#open(), () => this.#pay()]
    if (await steps[this.#step]?.()) this.#step += 1
  }

  async isOver(): Promise<boolean> {
    if (this.#step < 3) return false
    const { body } = await this.#api.call('GET', '/api/receipts/sale', { key: this.#seller.key })
    return body.status === 'reconciled'
  }

  async #create(): Promise<boolean> {
    const body = { id: 'sale', lineItems: [{ label: 'Thing', priceUsd: 25 }], totalUsd: 25 }
    const { status } = await this.#api.call('POST', '/api/receipts', { key: this.#seller.key, body })
    return status === 201
  }

  /** The service has no offer until the split stands. */
  async #open(): Promise<boolean> {
    const path = `/api/checkout/sale/attempts?recipient=${this.#seller.merchant}`
    const { status, body } = await this.#api.call('POST', path, { body: { token: 'USDC' } })
    if (status !== 201) return false
    this.#attempt = body
    return true
  }

  async #pay(): Promise<boolean> {
    const { depositAddress, remaining } = this.#attempt as AttemptView
    const raw = await this.#buyer.signTransaction({
      ...{ chainId: 31_337, type: 'eip1559', nonce: 0, gas: 500_000n },
      ...{ maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 1_000_000n },
      to: localContracts().tokens.USDC,
      data: transferData(depositAddress, BigInt(remaining)),
    })
    return this.#model.send(await readTransaction(raw)) === undefined
  }
}
