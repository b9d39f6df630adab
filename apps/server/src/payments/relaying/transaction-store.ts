import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Hex } from '../../chain/chain.ts'
import { numeric, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/** A transaction that submits a signed payment, and how it stands. */
export type RelayTransaction = {
  readonly authorization: string
  readonly hash: Hex
  readonly state: 'signed' | 'mined' | 'reverted' | 'replaced'
}

/** The transactions that submit signed payments, by the texts of their keys; the newest attempt last. */
export async function findRelayTransactions(
  db: Database,
  chain: number,
  keys: readonly string[],
): Promise<Map<string, RelayTransaction[]>> {
  const found = new Map<string, RelayTransaction[]>()
  if (keys.length === 0) return found
  for (const each of await db.rows(find({ chain, keys })))
    found.set(each.authorization, [...(found.get(each.authorization) ?? []), each])
  return found
}

/**
 * What submitting signed payments has cost since then, and giving up those that came too late: what was paid, and of
 * what is not mined the most that it may come to.
 */
export async function sumRelayFees(db: Database, chain: number, since: UnixMs): Promise<bigint> {
  return (await db.row(sum({ chain, since })))?.fees ?? 0n
}

const find = statement({
  name: 'find-relay-transactions',
  reads: { authorization: text<string>(), hash: text<Hex>(), state: text<RelayTransaction['state']>() },
  text: `SELECT detail->>'authorization' AS authorization, hash, state FROM own_transaction
    WHERE kind = 'relay' AND chain = :chain AND detail->>'authorization' = ANY(:keys) ORDER BY nonce, attempt`,
})

const sum = statement({
  name: 'sum-relay-fees',
  reads: { fees: optional(numeric<bigint>()) },
  text: `SELECT sum(coalesce(fee, gas * max_fee_per_gas)) AS fees FROM own_transaction
    WHERE chain = :chain AND created_at > :since AND state <> 'replaced'
      AND kind IN ('relay', 'fill') AND (kind = 'relay' OR detail->>'insteadOf' = 'relay')`,
})
