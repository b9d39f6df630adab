import type { Database } from '../../src/platform/database/database.ts'
import { findBrokenRows } from '../support/chain/check-invariants.ts'
import { findCardUnrest } from './card-rest.ts'
import { balanceOf } from './chain-state.ts'
import { receiptName } from './merchants.ts'
import { findRelayUnrest } from './relay-rest.ts'
import type { Sale } from './sale.ts'
import { findSplitUnrest } from './split-rest.ts'
import { findWrongSplit } from './split-sums.ts'
import { findUntold } from './untold.ts'
import type { World } from './world.ts'

/**
 * After all faults have ended, returns unfinished work or a difference from the chain. The cheap
 * checks come first.
 */
export async function findUnrest(
  world: World,
  db: Database,
  sales: readonly Sale[],
): Promise<string | undefined> {
  return (
    (await findOpenWork(world, db)) ??
    (await findWrongSum(world, db)) ??
    (await findWrongSplit(world, db)) ??
    (await findWrongBlock(world, db)) ??
    (await findLeftMoney(world, db)) ??
    (await findWrongSale(world, db, sales)) ??
    (await findUntold(world, db, { isLate: false })) ??
    (await findCardUnrest(world, db)) ??
    (await findRelayUnrest(world, db)) ??
    (await findSplitUnrest(world, db)) ??
    (await findBrokenRows(db, { hasLostPayments: true, hasLostRows: world.isRestored }))[0]
  )
}

/** A message that a wrong clock scheduled late may wait. */
async function findOpenWork({ clock, receiver }: World, db: Database): Promise<string | undefined> {
  const open = await db.row<{ what: string }>({ name: 'rest-open-work', text: openWork }, [clock.now()])
  if (open) return open.what
  const delivered = await db.rows<{ key: string }>({ name: 'rest-delivered', text: deliveredKeys })
  const lost = delivered.find(({ key }) => !receiver.acknowledged.has(key))
  return lost && `${lost.key} is delivered, and its receiver never accepted it`
}

/** Each base unit that the chain received is in exactly one receipt or case, at the merchant that it was sent to. */
async function findWrongSum(world: World, db: Database): Promise<string | undefined> {
  const found = await db.rows<{ key: string; units: bigint }>({ name: 'rest-booked', text: booked })
  const received = world.receivedAt()
  const sums = new Map(found.map(({ key, units }) => [key, units]))
  for (const key of new Set([...received.keys(), ...sums.keys()])) {
    const [chain, books] = [received.get(key) ?? 0n, sums.get(key) ?? 0n]
    if (chain !== books) return `${key} received ${chain}, and receipts and cases have ${books}`
  }
  return undefined
}

/** The block of each credited payment is on the chain. */
async function findWrongBlock({ model }: World, db: Database): Promise<string | undefined> {
  const found = await db.rows<{ tx: string; number: bigint; hash: string }>({
    name: 'rest-blocks',
    text: blocks,
  })
  const wrong = found.find(({ number, hash }) => model.blocks[Number(number)]?.hash !== hash)
  return (
    wrong && `${wrong.tx} is credited in block ${wrong.number} ${wrong.hash}, which the chain does not have`
  )
}

/**
 * No money is left at a deposit address, and in a split at most a unit per recipient.
 *
 * The money of a receipt that lost a payment waits for the merchant.
 */
async function findLeftMoney({ model, sent, relaying }: World, db: Database): Promise<string | undefined> {
  const held = await db.rows<{ address: string }>({ name: 'rest-held', text: heldDeposits })
  const isHeld = new Set(held.map(({ address }) => address))
  const signed = relaying?.signed.map(({ deposit: to, token }) => ({ to, token })) ?? []
  for (const { to, token } of [...sent, ...signed]) {
    if (isHeld.has(to)) continue
    const left = model.head.state.get(balanceOf(token, to))
    const recipients = model.options.contracts.splits.get(to)
    if (left > BigInt(recipients?.length ?? 0)) return `${left} units of ${token} are left at ${to}`
  }
  return undefined
}

/** What was acknowledged exists, and what was paid in full is paid. */
async function findWrongSale(
  { marked }: World,
  db: Database,
  sales: readonly Sale[],
): Promise<string | undefined> {
  const found = await db.rows<{ id: string; status: string }>({ name: 'rest-statuses', text: statuses })
  const statusOf = new Map(found.map(({ id, status }) => [id, status]))
  for (const sale of sales) {
    const status = statusOf.get(sale.name) ?? 'missing'
    if (sale.isCreated && status === 'missing') return `${sale.name} was acknowledged and is missing`
    const isAsExpected = !sale.isCancelled && !sale.isEdited && !sale.isRefunded && !marked.has(sale.name)
    if (isAsExpected && sale.isCovered() && status !== 'reconciled')
      return `${sale.name} was paid in full and is ${status}`
  }
  return undefined
}

const blocks =
  "SELECT tx_hash AS tx, block_number AS number, block_hash AS hash FROM payment WHERE state = 'credited'"

const heldDeposits = `SELECT t.deposit_address AS address FROM attempt_target t
  JOIN receipt r ON r.merchant = t.merchant AND r.id = t.receipt_id WHERE r.payment ->> 'state' = 'orphaned'`

const statuses = `SELECT ${receiptName('merchant', 'id')} AS id, status FROM receipt`

const booked = `SELECT merchant || ' ' || source || ' ' || token_address AS key, sum(amount) AS units FROM (
      SELECT merchant, source, token_address, amount FROM payment WHERE state = 'credited'
      UNION ALL SELECT merchant, source, token_address, amount FROM unmatched_payment
        WHERE state IN ('open', 'refunded', 'kept')) AS each GROUP BY 1`

const openWork = `SELECT concat_ws(' ', 'payment', receipt_id, tx_hash, 'is seen') AS what FROM payment
    WHERE state = 'seen'
  UNION ALL SELECT concat_ws(' ', kind, nonce, 'is signed, not mined') FROM outgoing_transaction WHERE state = 'signed'
    AND NOT EXISTS (SELECT FROM outgoing_transaction o WHERE o.sender = outgoing_transaction.sender
      AND o.nonce = outgoing_transaction.nonce AND o.state IN ('mined', 'reverted'))
  UNION ALL SELECT concat_ws(' ', job, item, reason) FROM deferred_item
  UNION ALL SELECT concat_ws(' ', idempotency_key, 'is', state) FROM outbox_message
    WHERE state NOT IN ('delivered', 'superseded') AND next_at <= $1`

const deliveredKeys = `SELECT url || ' ' || idempotency_key AS key FROM outbox_message WHERE state = 'delivered'`
