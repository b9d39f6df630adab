import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/** Returns the last block of each ledger that is behind the cursor. */
export async function listLedgersBehind(db: Database, chain: number): Promise<Map<Wallet, bigint>> {
  const rows = await db.rows(list({ chain }))
  return new Map(rows.map((row) => [row.merchant as Wallet, row.above]))
}

/**
 * Defers merchants' ledgers, which are later re-read above a block. Keeps the stored block if it is lower.
 */
export async function putLedgersBehind(
  tx: Database,
  chain: number,
  merchants: readonly Wallet[],
  above: bigint,
): Promise<void> {
  if (merchants.length > 0) await tx.run(put({ chain, merchants, above }))
}

export async function moveLedgerBehind(
  tx: Database,
  chain: number,
  merchant: Wallet,
  above: bigint,
): Promise<void> {
  await tx.run(move({ chain, merchant, above }))
}

export async function lowerLedgerBehind(tx: Database, chain: number, above: bigint): Promise<void> {
  await tx.run(lower({ chain, above }))
}

export async function dropLedgerBehind(tx: Database, chain: number, merchant: Wallet): Promise<void> {
  await tx.run(drop({ chain, merchant }))
}

const list = statement({
  name: 'list-books-behind',
  reads: { merchant: text(), above: int8() },
  text: `SELECT merchant, above FROM deferred_ledger WHERE chain = :chain`,
})

const put = statement({
  name: 'put-books-behind',
  text: `INSERT INTO deferred_ledger (chain, merchant, above)
    SELECT :chain::int8, merchant, :above::int8 FROM unnest(:merchants::text[]) AS merchant ORDER BY merchant
    ON CONFLICT (chain, merchant) DO UPDATE SET above = least(deferred_ledger.above, excluded.above)`,
})

const move = statement({
  name: 'move-books-behind',
  text: `UPDATE deferred_ledger SET above = :above WHERE chain = :chain AND merchant = :merchant`,
})

const lower = statement({
  name: 'lower-books-behind',
  text: `UPDATE deferred_ledger SET above = least(above, :above) WHERE chain = :chain`,
})

const drop = statement({
  name: 'drop-books-behind',
  text: `DELETE FROM deferred_ledger WHERE chain = :chain AND merchant = :merchant`,
})
