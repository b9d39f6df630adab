import type { Cents } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { makeFinalityPolicy, requiredFinality } from '../../src/payments/cursors/finality.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { receiptName } from './merchants.ts'
import { findUncovered } from './paid-cover.ts'
import { RefundOracle } from './refund-oracle.ts'
import type { World } from './world.ts'

const policy = makeFinalityPolicy({ isProduction: false, endpointCount: 1 })

type Credit = {
  tx: string
  log: bigint
  address: string
  merchant: Wallet
  receipt: string
  number: bigint
  hash: string
  total: bigint
  source: string | null
  isApplied: boolean
}

/** Judges the service by the chain and by what people did, at every commit. */
export class Oracle {
  readonly #world: World
  /** Not gated, and read outside of every task. */
  readonly #db: Database
  readonly #credited = new Map<string, string>()
  /** Receipts that were paid once. */
  readonly #settled = new Set<string>()
  /** Receipts and transactions. A reorg moves a credited payment to a block that is not final again. */
  readonly #creditedOnce = new Set<string>()
  readonly refunds: RefundOracle

  constructor(world: World, db: Database) {
    this.#world = world
    this.#db = db
    this.refunds = new RefundOracle(world, db)
  }

  /** Credits of the lost time are gone, and their money comes again. */
  remember(): () => void {
    const [credited, settled] = [new Map(this.#credited), new Set(this.#settled)]
    const forgetRefunds = this.refunds.remember()
    return () => {
      for (const key of this.#credited.keys()) if (!credited.has(key)) this.#credited.delete(key)
      for (const id of this.#settled) if (!settled.has(id)) this.#settled.delete(id)
      forgetRefunds()
    }
  }

  /** Checks the state after a commit. */
  async afterCommit(texts: readonly string[]): Promise<void> {
    const wrong = await this.refunds.afterCommit(texts)
    if (wrong) this.#fail(wrong)
    if (!texts.some((text) => /(INTO|UPDATE) (payment|receipt)\b/.test(text))) return
    await this.#checkCredits()
    await this.#checkCovered()
  }

  /**
   * A payment is credited for the receipt that asked for it, or that a person chose, once, and at the finality
   * that its amount requires.
   */
  async #checkCredits(): Promise<void> {
    const credits = await this.#db.rows<Credit>(creditsNow)
    const { model } = this.#world
    for (const { tx, log, address, source, merchant, receipt, number, total, isApplied } of credits) {
      const key = `${tx} ${log} ${address}`
      if (this.#credited.get(key) === receipt) continue
      const owner = this.#ownerOf(tx, source)
      if (owner !== merchant) this.#fail(`${receipt} was credited with money of ${owner}`)
      if (this.#credited.has(key))
        this.#fail(`${key} was credited to ${this.#credited.get(key)} and to ${receipt}`)
      const askedFor = this.#world.handedOut.get(source ?? '')?.receipt ?? receipt
      if (askedFor !== receipt && !isApplied)
        this.#fail(`${key} was paid for ${askedFor} and is credited to ${receipt}`)
      this.#credited.set(key, receipt)
      const isMoved = this.#creditedOnce.has(`${tx} ${receipt}`)
      this.#creditedOnce.add(`${tx} ${receipt}`)
      if (isMoved && this.#world.has.deepReorgs) continue
      const required = requiredFinality(policy, total as Cents)
      const reached = number <= model.final.number ? 'final' : number <= model.safe.number ? 'safe' : 'seen'
      const rank = { seen: 0, safe: 1, final: 2 }
      if (rank[reached] < rank[required])
        this.#fail(`${receipt} was credited in block ${number}, which is ${reached}, not ${required}`)
    }
  }

  /** Returns the merchant whose split or deposit address a transaction paid. */
  #ownerOf(tx: string, source: string | null): Wallet {
    const sent = this.#world.sent.find((each) => each.transaction.hash === tx && each.source === source)
    return this.#world.ownerOf(sent?.to ?? (source as Wallet))
  }

  /** Credited payments and accepted orders cover every paid receipt. */
  async #checkCovered(): Promise<void> {
    const uncovered = await findUncovered(this.#world, this.#db, this.#settled)
    if (uncovered !== undefined) this.#fail(uncovered)
  }

  #fail(what: string): never {
    throw new Broken(what)
  }
}

/** A promise is broken. */
export class Broken extends Error {}

const creditsNow = {
  name: 'oracle-credits',
  text: `SELECT p.tx_hash AS tx, p.log_index AS log, p.address, p.source, p.merchant,
    ${receiptName('p.merchant', 'p.receipt_id')} AS receipt, p.block_number AS number,
    p.block_hash AS hash, r.total_cents + r.fee_cents AS total, p.state, EXISTS (
      SELECT FROM unmatched_payment u WHERE u.merchant = p.merchant AND u.chain = p.chain AND u.tx_hash = p.tx_hash
        AND u.log_index = p.log_index AND u.applied_to = p.receipt_id) AS "isApplied"
    FROM payment p JOIN receipt r ON r.merchant = p.merchant AND r.id = p.receipt_id WHERE p.state = 'credited'`,
}
