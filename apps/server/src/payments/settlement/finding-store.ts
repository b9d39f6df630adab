import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Finding, UnmatchedLog } from '../ledger/match-transfer.ts'
import type { PaymentKey } from '../ledger/payment.ts'

/** A payment, an unmatched payment, or a payment in a block that a reorg removed. */
export type StoredFinding =
  | { readonly kind: 'finding'; readonly content: Finding }
  | { readonly kind: 'unmatched'; readonly content: UnmatchedLog }
  | { readonly kind: 'orphaned'; readonly content: Reversal }

export type Reversal = PaymentKey & {
  readonly blockNumber: bigint
  /** Hash of the removed block. Absent if the block was not stored. */
  readonly goneHash?: Hex | undefined
}

/** The unit of settlement: a receipt, or one payment without a receipt. */
export type SettleItem = {
  readonly merchant: Wallet
  readonly item: string
  readonly receiptId: ReceiptId | undefined
}

/**
 * Serializes a finding. A bigint becomes a string with the suffix `n`.
 *
 * When a finding is read, field names identify bigints, because a receipt id may be `42n`.
 */
export function writeContent(content: StoredFinding['content']): string {
  return JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}

export function readContent(text: string): StoredFinding['content'] {
  return JSON.parse(text, (name, value) =>
    Object.hasOwn(bigints, name) && typeof value === 'string' ? BigInt(value.slice(0, -1)) : value,
  )
}

/** Names of all bigint fields at any depth. The type makes a missing name a compile error. */
const bigints: Record<FieldsOf<StoredFinding['content'], bigint>, true> = {
  amount: true,
  blockNumber: true,
  lateRate: true,
  number: true,
}

type FieldsOf<Content, Kind> = Content extends object
  ? { [Name in keyof Content & string]: FieldOf<Name, Content[Name], Kind> }[keyof Content & string]
  : never

type FieldOf<Name, Value, Kind> = Value extends Kind
  ? Name
  : Value extends object
    ? FieldsOf<Value, Kind>
    : never

/** Stores findings in the transaction that moves the watcher's cursor. Safe to repeat. */
export async function saveFindings(
  tx: Database,
  chain: number,
  findings: readonly Finding[],
  unmatchedLogs: readonly UnmatchedLog[],
): Promise<void> {
  const all = [
    ...findings.map((content) => {
      const { receiptId } = content.target
      return { kind: 'finding', item: `receipt ${receiptId}`, receiptId, content }
    }),
    ...unmatchedLogs.map((content) => {
      const { txHash, logIndex, address } = content
      const item = `payment ${txHash}/${logIndex}/${address}`
      return { kind: 'unmatched', item, receiptId: undefined, content }
    }),
  ]
  const each = [...new Map(all.map((row) => [keyOf(row), row])).values()]
  const contents = each.map(({ content }) => writeContent(content))
  if (each.length > 0) await tx.run(insert({ chain, each, contents }))
}

function keyOf({ kind, item, content }: { kind: string; item: string; content: FoundContent }): string {
  const { merchant, txHash, logIndex, address } = content
  return `${kind} ${merchant} ${item} ${txHash}/${logIndex}/${address}`
}

type FoundContent = Finding | UnmatchedLog

/**
 * Turns the placements of payments above a fork into reversals, and drops findings there: those blocks are
 * read again.
 */
export async function reverseAbove(tx: Database, chain: number, height: bigint): Promise<void> {
  await tx.run(dropAbove({ chain, height }))
  await tx.run(reverse({ chain, height }))
  await tx.run(dropPlacesAbove({ chain, height }))
}

/** Lists the findings of items in chain order. */
export async function listFindings(
  tx: Database,
  chain: number,
  merchant: Wallet,
  items: readonly string[],
): Promise<StoredFinding[]> {
  const rows = await tx.rows(list({ chain, merchant, items }))
  return rows.map(({ kind, content }) => ({ kind, content: readContent(content) }) as StoredFinding)
}

/** Deletes these findings of the items. Findings that were stored in the meantime stay. */
export async function dropFindings(
  tx: Database,
  chain: number,
  merchant: Wallet,
  { items, findings }: { readonly items: readonly string[]; readonly findings: readonly StoredFinding[] },
): Promise<void> {
  if (findings.length > 0) await tx.run(drop({ chain, merchant, items, each: findings }))
}

const insert = statement({
  name: 'insert-findings',
  text: `INSERT INTO finding (chain, merchant, item, receipt_id, kind, tx_hash, log_index, address, block_number, content)
    SELECT :chain, t.* FROM
      unnest(:each.content.merchant::text[], :each.item::text[], :each.receiptId::text[], :each.kind::text[],
        :each.content.txHash::text[], :each.content.logIndex::int8[], :each.content.address::text[],
        :each.content.block.number::int8[], :contents::jsonb[]) AS t
    ON CONFLICT (chain, merchant, item, kind, tx_hash, log_index, address) DO UPDATE SET
      block_number = excluded.block_number, content = excluded.content`,
})

const dropAbove = statement({
  name: 'drop-findings-above',
  text: `DELETE FROM finding WHERE chain = :chain AND block_number > :height AND kind <> 'orphaned'`,
})

const reverse = statement({
  name: 'reverse-payments-above',
  text: `INSERT INTO finding (chain, merchant, item, receipt_id, kind, tx_hash, log_index, address, block_number, content)
    SELECT place.chain, merchant,
      coalesce('receipt ' || receipt_id, 'payment ' || tx_hash || '/' || log_index || '/' || address), receipt_id,
      'orphaned', tx_hash, log_index, address, block_number, jsonb_strip_nulls(jsonb_build_object(
        'txHash', tx_hash, 'logIndex', log_index, 'address', address, 'blockNumber', block_number || 'n',
        'goneHash', block.hash))
    FROM payment_block AS place
    LEFT JOIN chain_block AS block ON block.chain = place.chain AND block.number = place.block_number
    WHERE place.chain = :chain AND block_number > :height
    ON CONFLICT (chain, merchant, item, kind, tx_hash, log_index, address) DO UPDATE SET
      block_number = excluded.block_number, content = excluded.content`,
})

const dropPlacesAbove = statement({
  name: 'drop-payment-blocks-above',
  text: 'DELETE FROM payment_block WHERE chain = :chain AND block_number > :height',
})

const list = statement({
  name: 'list-findings',
  reads: { kind: text<StoredFinding['kind']>(), content: text() },
  text: `SELECT kind, content::text AS content FROM finding
    WHERE chain = :chain AND merchant = :merchant AND item = ANY(:items)
    ORDER BY block_number, log_index, tx_hash COLLATE "C", address COLLATE "C"`,
})

const drop = statement({
  name: 'drop-findings',
  text: `DELETE FROM finding USING unnest(:each.kind::text[], :each.content.txHash::text[],
      :each.content.logIndex::int8[], :each.content.address::text[]) AS done (kind, tx_hash, log_index, address)
    WHERE finding.chain = :chain AND finding.merchant = :merchant AND finding.item = ANY(:items)
      AND finding.kind = done.kind AND finding.tx_hash = done.tx_hash AND finding.log_index = done.log_index
      AND finding.address = done.address`,
})
