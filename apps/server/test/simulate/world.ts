import { createHash } from 'node:crypto'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../src/chain/chain.ts'
import { type LocalContracts, localContracts } from '../../src/local/deploy-contracts.ts'
import { newWallet } from '../support/api/sessions.ts'
import { TestClock } from '../support/test-clock.ts'
import { seededRandom } from '../support/test-random.ts'
import type { Cards } from './card-session.ts'
import { ChainModel, type MinedTransaction, type ModelBlock, type Transaction } from './chain-model.ts'
import { Signer } from './chain-people.ts'
import { balanceOf } from './chain-state.ts'
import { Draw } from './draw.ts'
import type { Node } from './nodes.ts'
import { Receiver } from './receiver.ts'
import { Scheduler } from './scheduler.ts'
import type { SignedPayments } from './signed-payment.ts'
import type { SplitPlan } from './split-plan.ts'

export const startsAt = Date.UTC(2026, 0, 15, 12)
export const slotsInAnEpoch = 3
export const ether = 10n ** 18n
export const usualFee = 10n ** 9n

/** A payment that somebody sent: what the service must find in a receipt or in the inbox. */
export type SentMoney = {
  readonly transaction: Transaction
  /** Deposit address, or the split for a call. */
  readonly to: Wallet
  /** Deposit address, or the reference of a call. */
  readonly source: string
  readonly token: Wallet
  readonly units: bigint
  /** Units that the mined transaction moved, if they depend on what came before. */
  readonly movedBy?: (mined: MinedTransaction) => bigint
}

/** What a page asked a buyer to pay. */
export type Asked = {
  readonly receipt: string
  readonly sources: readonly string[]
  readonly payTo: Wallet
  readonly token: Wallet
  readonly expiresAt: number
}

/** What happens in some seeds only. */
type Extras = Readonly<
  Record<
    | 'receiverFaults'
    | 'strangers'
    | 'desk'
    | 'deepReorgs'
    | 'expiries'
    | 'aheadNodes'
    | 'stalls'
    | 'restores',
    boolean
  >
>

/** Everything outside of the service, and the order of events. */
export class World {
  readonly seed: number
  readonly scheduler = new Scheduler()
  readonly clock = new TestClock(startsAt)
  readonly contracts: LocalContracts = localContracts()
  readonly model: ChainModel
  readonly keeper: { readonly wallet: Wallet; readonly privateKey: Hex }
  readonly buyers: readonly Signer[]
  readonly stranger: Signer
  /** The merchant's own account, from which refunds are sent. */
  readonly merchant: Signer
  readonly sent: SentMoney[] = []
  /** Only in a part of the seeds. */
  cards: Cards | undefined
  /** Only in a part of the seeds. */
  relaying: SignedPayments | undefined
  /** Receipts that the merchant may have marked as paid. */
  readonly marked = new Set<string>()
  /** Accounts of people and providers. */
  readonly accounts = new Set<Wallet>()
  /** Deposit addresses that a stranger derived, and the service never issued. */
  readonly strays = new Set<Wallet>()
  readonly asked: Asked[] = []
  /** Merchants by their splits and deposit addresses. */
  readonly owners = new Map<Wallet, Wallet>()
  /** Transfers of the merchant to buyers, by transaction. */
  readonly refunds = new Map<Hex, { to: Wallet; token: Wallet; units: bigint }>()
  /** Whether the chain changed its past, or an endpoint was wrong about it. */
  wasUnclear = false
  /** Whether the clock of a replica was ever wrong. */
  wasSkewed = false
  /** Recipients that the first merchant ever wanted. Empty if it never changes them. */
  readonly plans: SplitPlan[] = []
  /** Time after which a change of recipients takes effect. */
  splitDelayMs = 0
  /** Whether an older copy took the place of the database. */
  isRestored = false
  readonly nodes: readonly Node[]
  readonly receiver = new Receiver(this.scheduler, this.clock)
  readonly has: Extras
  /** Every address and reference that a page ever showed, also in a lost time. */
  readonly handedOut = new Map<string, { readonly attemptId: string; readonly receipt: string }>()
  /** What happened, in words. */
  readonly timeline: string[] = []
  /** Every statement, request and event, which two runs of a seed must have in common. */
  readonly trace: string[] = []

  constructor(seed: number, draw: Draw) {
    this.seed = seed
    this.model = openModel(seed, this.contracts)
    const random = seededRandom(`${seed}:keys`)
    this.keeper = newWallet(random)
    this.buyers = [0, 1].map(() => new Signer(this.model, newWallet(random).privateKey))
    this.stranger = new Signer(this.model, newWallet(random).privateKey)
    this.merchant = new Signer(this.model, newWallet(seededRandom(`${seed}:seller`)).privateKey)
    const aheadNodes = new Draw(`${seed}:ahead`).isIn(0.15)
    this.nodes = (draw.isIn(0.25) ? ['a', 'b'] : ['a']).map((name) => ({
      url: `http://${name}.test`,
      mood: aheadNodes ? 'ahead' : 'well',
    }))
    const restores = new Draw(`${seed}:restores`).isIn(0.06)
    this.has = {
      receiverFaults: draw.isIn(0.3),
      strangers: draw.isIn(0.35),
      desk: draw.isIn(0.3),
      deepReorgs: draw.isIn(0.2),
      expiries: draw.isIn(0.3),
      aheadNodes,
      stalls: !restores && new Draw(`${seed}:stalls`).isIn(0.2),
      restores,
    }
    this.fund(this.keeper.wallet)
    for (const { address } of this.#signers) {
      this.fund(address)
      for (const token of Object.values(this.contracts.tokens)) this.endow(address, token)
    }
  }

  /** @throws {Error} if an address or a reference was handed out before, for another attempt. */
  handOut(attemptId: string, receipt: string, sources: readonly string[]): void {
    for (const source of sources) {
      const before = this.handedOut.get(source)?.attemptId ?? attemptId
      if (before !== attemptId) throw new Error(`${source} was handed out for ${before} and ${attemptId}`)
      this.handedOut.set(source, { attemptId, receipt })
    }
  }

  /** Pages of a lost time are not the service's word any more. */
  remember(): () => void {
    const { length } = this.asked
    return () => {
      this.asked.length = length
      this.wasUnclear = true
    }
  }

  get #signers(): readonly Signer[] {
    return [...this.buyers, this.stranger, this.merchant, ...(this.relaying?.payers ?? [])]
  }

  fund(account: Wallet): void {
    this.accounts.add(account)
    this.model.set(balanceOf(nativeAddress, account), 1_000n * ether)
  }

  /** Sets what the keeper has for gas. */
  setGas(wei: bigint): void {
    this.model.set(balanceOf(nativeAddress, this.keeper.wallet), wei)
    this.say(wei === 0n ? 'the keeper has nothing left for gas' : 'the keeper has enough for gas')
  }

  endow(account: Wallet, token: Wallet): void {
    this.model.set(balanceOf(token, account), 10n ** 30n)
  }

  record(line: string): void {
    this.trace.push(line)
  }

  say(line: string): void {
    this.timeline.push(`${new Date(this.clock.now()).toISOString().slice(11, 19)}  ${line}`)
    this.record(line)
  }

  get hash(): string {
    return createHash('sha256').update(this.trace.join('\n')).digest('hex')
  }

  async pass(seconds: number, blockCount = 1): Promise<void> {
    await this.clock.advance(seconds * 1000)
    const now = BigInt(Math.floor(this.clock.now() / 1000))
    const apart = (now - this.model.head.timestamp) / BigInt(Math.max(1, blockCount))
    this.model.mine(blockCount, Number(apart > 0n ? apart : 0n))
    await this.scheduler.settle()
  }

  /** Replaces the newest blocks. Dropped transactions are mined again, wait in the mempool, or are lost. */
  async reorg(depth: number, draw: Draw): Promise<void> {
    const removed = this.model.blocks.slice(-depth).flatMap(({ transactions }) => transactions)
    const isLost = new Set<Transaction>()
    const replaced: Transaction[] = []
    const replay: { transaction: Transaction; offset: number }[] = []
    // Transactions of several blocks in one, in the order of another miner, get other log indexes.
    const isSqueezed = draw.isIn(0.4)
    const ranks = new Map(removed.map(({ from }) => [from, draw.fraction()]))
    if (isSqueezed) removed.sort((a, b) => (ranks.get(a.from) ?? 0) - (ranks.get(b.from) ?? 0))
    for (const transaction of removed) {
      const fate = isSqueezed ? draw.below(8) % 5 : draw.below(5)
      if (fate < 2) replay.push({ transaction, offset: isSqueezed ? 0 : draw.below(depth) })
      else if (fate < 4 && transaction.from !== this.keeper.wallet) {
        isLost.add(transaction)
        if (fate === 3) replaced.push(transaction)
      }
    }
    this.wasUnclear = true
    this.model.reorg(depth, replay, 1)
    for (const transaction of removed) if (!isLost.has(transaction)) this.model.send(transaction)
    for (const { from, nonce } of replaced)
      await this.#signers.find(({ address }) => address === from)?.send(from, { nonce })
    const fates = `${isLost.size} are lost, ${replaced.length} of them replaced`
    this.say(`a reorg replaces ${depth} blocks with ${removed.length} transactions; ${fates}`)
  }

  findBlockOf(hash: Hex): ModelBlock | undefined {
    return this.model.blocks.findLast(({ transactions }) => transactions.some((each) => each.hash === hash))
  }

  /** Returns the merchant of a split or a deposit address. Cards pay only the first merchant. */
  ownerOf(address: Wallet): Wallet {
    return this.owners.get(address) ?? this.merchant.address
  }

  nameOf(token: Wallet): string {
    const known = Object.entries(this.contracts.tokens).find(([, address]) => address === token)
    return known?.[0] ?? 'ETH'
  }

  findMined(hash: Hex): MinedTransaction | undefined {
    for (const block of this.model.blocks)
      for (const transaction of block.transactions) if (transaction.hash === hash) return transaction
    return undefined
  }

  /** Units that the canonical chain moved by payments, by merchant, source and token. */
  receivedAt(): Map<string, bigint> {
    const sums = new Map<string, bigint>()
    // A transaction that a reorg dropped may be signed again, with the same nonce and hash.
    const sent = new Map(this.sent.map((each) => [each.transaction.hash, each]))
    for (const { transaction, to, source, token, units, movedBy } of sent.values()) {
      const mined = this.findMined(transaction.hash)
      if (!mined?.isSuccess) continue
      const key = `${this.ownerOf(to)} ${source} ${token}`
      sums.set(key, (sums.get(key) ?? 0n) + (movedBy ? movedBy(mined) : units))
    }
    this.relaying?.addTo(sums, sent)
    return sums
  }
}

function openModel(seed: number, { tokens, ...factories }: LocalContracts): ChainModel {
  const symbols = Object.entries(tokens).map(([symbol, token]) => [token, symbol] as const)
  return new ChainModel({
    chainId: 31_337,
    seed,
    slotsInAnEpoch,
    first: { number: 10n, timestamp: BigInt(startsAt / 1000), baseFee: usualFee, gasUsed: 0n },
    contracts: {
      ...factories,
      tokens: new Map(symbols),
      refusing: new Set(),
      splits: new Map(),
      signatures: new Map(),
    },
  })
}
