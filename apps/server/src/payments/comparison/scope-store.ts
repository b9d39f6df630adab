import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, named, type Parts, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

export type ComparedSplit = {
  readonly merchant: Wallet
  readonly split: Wallet
  readonly version: bigint
  readonly readFrom: bigint
}

export type ComparedReceipt = { readonly merchant: Wallet; readonly receiptId: string }

export type Round = { readonly afterSplit: string; readonly afterDeposit: string }

export async function listTouchedMerchants(
  db: Database,
  chain: number,
  range: { readonly above: bigint; readonly to: bigint },
): Promise<Wallet[]> {
  const rows = await db.rows(touched({ chain, above: range.above, to: range.to }))
  return rows.map((row) => row.merchant as Wallet)
}

/**
 * Lists the splits of these merchants and of attempts that are open at `now`, in address order after `after`.
 */
export async function listBusySplits(
  db: Database,
  chain: number,
  merchants: readonly Wallet[],
  now: number,
  page: { readonly after: string; readonly limit: number },
): Promise<ComparedSplit[]> {
  return db.rows(busySplits({ chain, merchants, now, ...page }))
}

export async function listAnySplits(
  db: Database,
  chain: number,
  page: { readonly after: string; readonly limit: number },
): Promise<ComparedSplit[]> {
  return db.rows(anySplits({ chain, after: page.after, limit: page.limit }))
}

export async function listBusyReceipts(
  db: Database,
  chain: number,
  now: number,
  page: { readonly after: string; readonly limit: number },
): Promise<{ receipts: ComparedReceipt[]; last: string | undefined }> {
  return fromDeposits(await db.rows(busyReceipts({ chain, now, after: page.after, limit: page.limit })))
}

export async function listAnyReceipts(
  db: Database,
  chain: number,
  page: { readonly after: string; readonly limit: number },
): Promise<{ receipts: ComparedReceipt[]; last: string | undefined }> {
  return fromDeposits(await db.rows(anyReceipts({ chain, after: page.after, limit: page.limit })))
}

export async function listDeposits(
  db: Database,
  receipts: readonly ComparedReceipt[],
): Promise<(ComparedReceipt & { deposit: Wallet; openedBlock: bigint })[]> {
  if (receipts.length === 0) return []
  const merchants = [...new Set(receipts.map(({ merchant }) => merchant))]
  return db.rows(deposits({ merchants, each: receipts }))
}

export async function findRound(db: Database, chain: number): Promise<Round> {
  const row = await db.row(find({ chain }))
  return { afterSplit: row?.afterSplit ?? '', afterDeposit: row?.afterDeposit ?? '' }
}

export async function saveRound(tx: Database, chain: number, round: Round): Promise<void> {
  await tx.run(save({ chain, afterSplit: round.afterSplit, afterDeposit: round.afterDeposit }))
}

type Deposit = ComparedReceipt & { readonly deposit: Wallet }

const storedDeposit: Parts<Deposit> = {
  merchant: text(),
  receiptId: text(),
  deposit: named('deposit_address', text()),
}

const storedComparedSplit: Parts<ComparedSplit> = {
  merchant: text(),
  split: named('address', text()),
  version: int8(),
  readFrom: int8(),
}

function fromDeposits(rows: readonly Deposit[]) {
  const receipts = new Map<string, ComparedReceipt>()
  for (const { merchant, receiptId } of rows)
    receipts.set(`${merchant} ${receiptId}`, { merchant, receiptId })
  return { receipts: [...receipts.values()], last: rows.at(-1)?.deposit }
}

const touched = statement({
  name: 'list-touched-merchants',
  reads: { merchant: text() },
  text: `SELECT DISTINCT merchant FROM split_block WHERE chain = :chain AND number > :above AND number <= :to`,
})

const busySplits = statement({
  name: 'list-busy-splits',
  reads: storedComparedSplit,
  text: `SELECT merchant, address, version, read_from FROM split_address
    WHERE chain = :chain AND address > :after AND (merchant = ANY(:merchants) OR address IN (
      SELECT split_address FROM attempt_target WHERE chain = :chain AND hot_until > :now))
    ORDER BY address LIMIT :limit`,
})

const anySplits = statement({
  name: 'list-any-splits',
  reads: storedComparedSplit,
  text: `SELECT merchant, address, version, read_from FROM split_address
    WHERE chain = :chain AND address > :after ORDER BY address LIMIT :limit`,
})

const busyReceipts = statement({
  name: 'list-busy-receipts',
  reads: storedDeposit,
  text: `SELECT merchant, receipt_id, deposit_address FROM attempt_target
    WHERE chain = :chain AND hot_until > :now AND deposit_address > :after ORDER BY deposit_address LIMIT :limit`,
})

const anyReceipts = statement({
  name: 'list-any-receipts',
  reads: storedDeposit,
  text: `SELECT merchant, receipt_id, deposit_address FROM attempt_target
    WHERE chain = :chain AND deposit_address > :after ORDER BY deposit_address LIMIT :limit`,
})

const deposits = statement({
  name: 'list-compared-deposits',
  reads: { ...storedDeposit, openedBlock: int8() },
  text: `SELECT a.merchant, a.receipt_id, a.deposit_address, a.opened_block
    FROM unnest(:each.merchant::text[], :each.receiptId::text[]) AS asked(merchant, receipt_id)
    JOIN attempt AS a ON a.merchant = ANY(:merchants::text[]) AND a.merchant = asked.merchant AND a.receipt_id = asked.receipt_id`,
})

const find = statement({
  name: 'find-comparison-round',
  reads: { afterSplit: text(), afterDeposit: text() },
  text: `SELECT after_split, after_deposit FROM comparison_round WHERE chain = :chain`,
})

const save = statement({
  name: 'save-comparison-round',
  text: `INSERT INTO comparison_round (chain, after_split, after_deposit) VALUES (:chain, :afterSplit, :afterDeposit)
    ON CONFLICT (chain) DO UPDATE SET after_split = excluded.after_split, after_deposit = excluded.after_deposit`,
})
