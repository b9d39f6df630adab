import type { Cents } from '@sluice/protocol/money.ts'
import { type TokenSymbol, tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { makeFinalityPolicy, requiredFinality } from '../../src/payments/cursors/finality.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { findBrokenRows } from '../support/chain/check-invariants.ts'
import { balanceOf } from './chain-state.ts'
import type { Sale } from './sale.ts'
import type { World } from './world.ts'

const policy = makeFinalityPolicy({ isProduction: false, endpointCount: 1 })

type Credit = {
  tx: string
  log: bigint
  address: string
  receipt: string
  number: bigint
  hash: string
  total: bigint
  state: string
}

/** Judges the service by the chain and by what people did, at every commit and at the end. */
export class Oracle {
  readonly #world: World
  /** Not gated, and read outside of every task. */
  readonly #db: Database
  readonly #credited = new Map<string, string>()

  constructor(world: World, db: Database) {
    this.#world = world
    this.#db = db
  }

  /** Checks what was just committed. */
  async afterCommit(texts: readonly string[]): Promise<void> {
    if (!texts.some((text) => /(INTO|UPDATE) (payment|receipt)\b/.test(text))) return
    await this.#checkCredits()
    await this.#checkCovered()
  }

  /** Checks what must hold when nothing fails any more and everything had its time. */
  async atRest(sales: readonly Sale[]): Promise<void> {
    const { rows } = {
      rows: (text: string) => this.#db.rows<{ what: string }>({ name: text.slice(0, 60), text }),
    }
    for (const { what } of await rows(unfinished)) this.#fail(`at rest: ${what}`)
    for (const line of await findBrokenRows(this.#db, { hasLostPayments: true })) this.#fail(line)
    await this.#checkSums()
    await this.#checkSales(sales)
    this.#checkPassedOn()
  }

  /** Each base unit that the chain received is in exactly one receipt or case. */
  async #checkSums(): Promise<void> {
    const found = await this.#db.rows<{ key: string; units: bigint }>(booked)
    const received = this.#world.receivedAt()
    const sums = new Map(found.map(({ key, units }) => [key, units]))
    for (const key of new Set([...received.keys(), ...sums.keys()])) {
      const [chain, books] = [received.get(key) ?? 0n, sums.get(key) ?? 0n]
      if (chain !== books) this.#fail(`${key} received ${chain}, and receipts and cases have ${books}`)
    }
  }

  /** A receipt whose attempt was paid in full is paid. */
  async #checkSales(sales: readonly Sale[]): Promise<void> {
    const found = await this.#db.rows<{ id: string; status: string }>(statuses)
    const statusOf = new Map(found.map(({ id, status }) => [id, status]))
    for (const sale of sales) {
      const status = statusOf.get(sale.id) ?? 'missing'
      if (sale.isCreated && status === 'missing') this.#fail(`${sale.id} was acknowledged and is missing`)
      if (!sale.isCancelled && sale.isCovered() && status !== 'reconciled')
        this.#fail(`${sale.id} was paid in full and is ${status}`)
    }
  }

  /** No money is left at a deposit address, and in a split at most a unit per recipient. */
  #checkPassedOn(): void {
    const { model, sent } = this.#world
    for (const { to, token } of sent) {
      const left = model.head.state.get(balanceOf(token, to))
      const recipients = model.options.contracts.splits.get(to)
      if (left > BigInt(recipients?.length ?? 0)) this.#fail(`${left} units of ${token} are left at ${to}`)
    }
  }

  /** A payment is credited for one receipt, once, and at the finality that its amount requires. */
  async #checkCredits(): Promise<void> {
    const credits = await this.#db.rows<Credit>(creditsNow)
    const { model } = this.#world
    for (const { tx, log, address, receipt, number, total } of credits) {
      const key = `${tx} ${log} ${address}`
      if (this.#credited.get(key) === receipt) continue
      if (this.#credited.has(key))
        this.#fail(`${key} was credited to ${this.#credited.get(key)} and to ${receipt}`)
      this.#credited.set(key, receipt)
      const required = requiredFinality(policy, total as Cents)
      const reached = number <= model.final.number ? 'final' : number <= model.safe.number ? 'safe' : 'seen'
      const rank = { seen: 0, safe: 1, final: 2 }
      if (rank[reached] < rank[required])
        this.#fail(`${receipt} was credited in block ${number}, which is ${reached}, not ${required}`)
    }
  }

  /** What is paid is covered by credited payments. */
  async #checkCovered(): Promise<void> {
    const [row] = await this.#db.rows<{ what: string }>(uncovered)
    if (row) this.#fail(row.what)
  }

  #fail(what: string): never {
    throw new Broken(what)
  }
}

/** A promise is broken. */
export class Broken extends Error {}

const creditsNow = {
  name: 'oracle-credits',
  text: `SELECT p.tx_hash AS tx, p.log_index AS log, p.address, p.receipt_id AS receipt, p.block_number AS number,
    p.block_hash AS hash, r.total_cents + r.fee_cents AS total, p.state
    FROM payment p JOIN receipt r ON r.merchant = p.merchant AND r.id = p.receipt_id WHERE p.state = 'credited'`,
}

const decimals = tokenKinds.map(({ symbol, decimals }: { symbol: TokenSymbol; decimals: number }) => [
  symbol,
  decimals,
])

const uncovered = {
  name: 'oracle-uncovered',
  text: `SELECT r.id || ' is ' || r.status || ' without enough money' AS what FROM receipt r
    WHERE r.status IN ('paid', 'reconciled', 'refund_requested', 'refunded') AND (
      SELECT coalesce(sum(p.amount * p.rate_e8 * 10::numeric ^ (18 - t.decimals)), 0) * 1001 / 1000
      FROM payment p JOIN (VALUES ${decimals.map(([symbol, count]) => `('${symbol}', ${count})`).join(', ')})
        AS t (token, decimals) ON t.token = p.token
      WHERE p.merchant = r.merchant AND p.receipt_id = r.id AND p.credited_at IS NOT NULL
    ) < (r.total_cents + r.fee_cents) * 10::numeric ^ 24`,
}

const statuses = { name: 'oracle-statuses', text: 'SELECT id, status FROM receipt' }

const booked = {
  name: 'oracle-booked',
  text: `SELECT source || ' ' || token_address AS key, sum(amount) AS units FROM (
      SELECT source, token_address, amount FROM payment WHERE state = 'credited'
      UNION ALL SELECT source, token_address, amount FROM unmatched_payment
        WHERE state IN ('open', 'refunded', 'kept')) AS each GROUP BY 1`,
}

const unfinished = `SELECT concat_ws(' ', 'payment', receipt_id, tx_hash, 'is seen') AS what FROM payment
    WHERE state = 'seen'
  UNION ALL SELECT concat_ws(' ', kind, nonce, 'is signed, not mined') FROM outgoing_transaction WHERE state = 'signed'
    AND NOT EXISTS (SELECT FROM outgoing_transaction o WHERE o.sender = outgoing_transaction.sender
      AND o.nonce = outgoing_transaction.nonce AND o.state IN ('mined', 'reverted'))
  UNION ALL SELECT concat_ws(' ', job, item, reason) FROM deferred_item
  UNION ALL SELECT concat_ws(' ', idempotency_key, 'is', state) FROM outbox_message
    WHERE state NOT IN ('delivered', 'superseded')`
