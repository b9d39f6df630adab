import type { Hex } from '../../src/chain/chain.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { receiptName } from './merchants.ts'
import type { World } from './world.ts'

type RefundRow = {
  id: string
  hash: Hex
  buyer: string | null
  cents: bigint | null
  token: string | null
  units: bigint | null
}

type PendingRefund = { readonly hash: Hex; readonly receipt: string | null; readonly error: string | null }

const paidLike = `('paid', 'reconciled', 'refund_requested', 'refunded')`

/** Checks refunds, expired receipts and payments that a reorg removed. Each check returns an error or nothing. */
export class RefundOracle {
  readonly #world: World
  readonly #db: Database
  /** Refunds that were final when the service accepted them. */
  readonly #validated = new Set<string>()

  constructor(world: World, db: Database) {
    this.#world = world
    this.#db = db
  }

  remember(): () => void {
    const validated = new Set(this.#validated)
    return () => {
      for (const id of this.#validated) if (!validated.has(id)) this.#validated.delete(id)
    }
  }

  async afterCommit(texts: readonly string[]): Promise<string | undefined> {
    if (texts.some((text) => /(INTO|UPDATE) refund\b/.test(text))) {
      const wrong = (await this.#findUnpaidRefund()) ?? (await this.#find('refunded-too-much', tooMuch))
      if (wrong) return wrong
    }
    if (!texts.some((text) => /(INTO|UPDATE) receipt\b/.test(text))) return undefined
    return (await this.#findWronglyExpired()) ?? (await this.#find('silent-orphan', unflagged))
  }

  async atRest(): Promise<string | undefined> {
    return (
      (await this.#findLostRefund()) ??
      (await this.#find('orphan-not-told', notTold)) ??
      (await this.#find('decided-twice', decidedTwice))
    )
  }

  /** Whether a refund waits for a transaction that the chain does not have. */
  hasMissing(): boolean {
    return [...this.#world.refunds.keys()].some((hash) => !this.#world.findMined(hash))
  }

  /**
   * Some days later, a refund without its transaction is an open question, and its merchant was told. A transaction
   * that is there has its verdict.
   */
  async whenLate(): Promise<string | undefined> {
    const { receiver, clock } = this.#world
    const rows = await this.#db.rows<PendingRefund>(
      { name: 'oracle-pending-refunds', text: pendingRefunds },
      [clock.now() - 3 * 86_400_000],
    )
    for (const { hash, receipt, error } of rows) {
      const block = this.#world.findMined(hash) && this.#world.findBlockOf(hash)
      // A transaction that was missing is searched every hour.
      const isFresh = block && Number(block.timestamp) * 1000 > clock.now() - 2 * 3_600_000
      if (isFresh) continue
      if (block) return `the refund ${hash} is on the chain, and is not judged`
      if (error === null) return `the refund ${hash} is not on the chain, and is no open question`
      const isTold = [...receiver.acknowledged].some((key) => key.includes(`:refund-missing:${hash}`))
      if (receipt !== null && !isTold) return `the refund ${hash} is missing, and its merchant was not told`
    }
    return undefined
  }

  /** A refund counts when its transaction is final and paid the amount to the buyer. */
  async #findUnpaidRefund(): Promise<string | undefined> {
    const { model, refunds } = this.#world
    for (const { id, hash, buyer, cents, token, units } of await this.#accepted()) {
      if (this.#validated.has(id)) continue
      const block = this.#world.findBlockOf(hash)
      if (!block) return `the refund ${hash} counts, and the chain does not have it`
      if (block.number > model.final.number) return `the refund ${hash} counts before it is final`
      const sent = refunds.get(hash)
      const isSuccess = this.#world.findMined(hash)?.isSuccess === true
      if (!sent || !isSuccess || (buyer && sent.to !== buyer)) return `the refund ${hash} paid nobody`
      const least = units ?? (cents ?? 0n) * 10_000n
      if (sent.units < least || (token && sent.token !== token)) return `the refund ${hash} paid too little`
      this.#validated.add(id)
    }
    return undefined
  }

  /** A refund that counts has its transaction on the chain, unless a reorg removed a block that was final. */
  async #findLostRefund(): Promise<string | undefined> {
    for (const { id, hash } of await this.#accepted())
      if (!this.#world.findMined(hash) && !(this.#world.has.deepReorgs && this.#validated.has(id)))
        return `the refund ${hash} counts, and the chain lost it`
    return undefined
  }

  #accepted(): Promise<RefundRow[]> {
    const text = `SELECT id, tx_hash AS hash, buyer, usd_cents AS cents, token_address AS token, units FROM refund
      WHERE mark = 'recipient_validated' AND tx_hash IS NOT NULL`
    return this.#db.rows<RefundRow>({ name: 'oracle-refunds', text })
  }

  /**
   * No receipt is shown as expired while the chain has a payment in time for it. Holds while the service can
   * see the whole chain: after a reorg, a block that was not there before may claim to be older.
   */
  async #findWronglyExpired(): Promise<string | undefined> {
    const { asked, sent, has } = this.#world
    if (!has.expiries || this.#world.wasUnclear) return undefined
    const expired = await this.#db.rows<{ id: string }>({ name: 'oracle-expired', text: expiredNow })
    for (const { id } of expired)
      for (const { receipt, sources, payTo, token, expiresAt } of asked) {
        if (receipt !== id) continue
        for (const { transaction, to, source, units, ...money } of sent) {
          const isTheirs = to === source || to === payTo
          if (!isTheirs || !sources.includes(source) || money.token !== token) continue
          const block = this.#world.findBlockOf(transaction.hash)
          const isInTime = block && Number(block.timestamp) * 1000 <= expiresAt
          if (isInTime && this.#world.findMined(transaction.hash)?.isSuccess)
            return `${id} expires, and ${units} units came in time in block ${block.number}`
        }
      }
    return undefined
  }

  async #find(name: string, text: string): Promise<string | undefined> {
    return (await this.#db.row<{ what: string }>({ name: `oracle-${name}`, text }))?.what
  }
}

const expiredNow = `SELECT ${receiptName('merchant', 'id')} AS id FROM receipt WHERE payment ->> 'state' = 'expired' AND cancelled_at IS NULL
  AND status NOT IN ${paidLike}`

const pendingRefunds = `SELECT tx_hash AS hash, receipt_id AS receipt, error FROM refund
  WHERE made_at < $1 AND tx_hash IS NOT NULL AND coalesce(mark, '') NOT IN ('recipient_validated', 'tx_mismatch')`

const tooMuch = `SELECT r.id || ' is refunded more than its total' AS what
  FROM receipt r JOIN refund f ON f.merchant = r.merchant AND f.receipt_id = r.id
  WHERE f.kind = 'price' AND f.error IS NULL
  GROUP BY r.merchant, r.id HAVING sum(f.usd_cents) > r.total_cents + r.fee_cents`

/** A paid receipt that lost a credited payment says so, unless other payments cover it. */
const unflagged = `SELECT r.id || ' lost a payment, and is silently ' || r.status AS what FROM receipt r
  WHERE r.status IN ${paidLike} AND r.payment ->> 'state' NOT IN ('orphaned', 'paid', 'over', 'late')
    AND EXISTS (SELECT FROM payment p WHERE p.merchant = r.merchant AND p.receipt_id = r.id
      AND p.state = 'orphaned' AND p.credited_at IS NOT NULL AND p.accepted_at IS NULL)`

const notTold = `SELECT concat_ws(' ', p.receipt_id, 'lost', p.tx_hash, 'and its merchant was not told') AS what
  FROM payment p WHERE p.state = 'orphaned' AND p.credited_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM outbox_message n WHERE n.merchant = p.merchant AND n.subject = p.receipt_id
      AND n.idempotency_key LIKE '%:orphaned:' || p.block_hash || '%')`

const decidedTwice = `SELECT concat_ws(' ', 'the decided payment', u.tx_hash, 'is open again') AS what
  FROM unmatched_payment u JOIN unmatched_payment o ON o.merchant = u.merchant AND o.tx_hash = u.tx_hash
    AND o.source = u.source AND o.token_address = u.token_address AND o.amount = u.amount
  WHERE u.state = 'orphaned' AND u.lost_state IN ('applied', 'refunded', 'kept') AND o.state <> 'orphaned'`
