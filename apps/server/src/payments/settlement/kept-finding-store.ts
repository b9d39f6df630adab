import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { textOfKey } from '../ledger/payment.ts'
import { type KeptFinding, readContent, writeContent } from './kept-finding.ts'

/** Whose item it is kept for. */
export type KeptFor = { readonly merchant: Wallet; readonly item: string }

/** Keeps what was found until its item can be done. Safe to repeat. */
export async function keepFindings(
  tx: Database,
  chain: number,
  { merchant, item }: KeptFor,
  changes: readonly KeptFinding[],
): Promise<void> {
  const each = [...new Map(changes.map((change) => [textOf(change), change])).values()]
  if (each.length === 0) return
  const [blocks, contents] = [each.map(blockOf), each.map(({ content }) => writeContent(content))]
  await tx.run(insert({ chain, merchant, item, each, blocks, contents }))
}

/** What is kept for an item, in the order of the chain. */
export async function listKeptNews(
  tx: Database,
  chain: number,
  { merchant, item }: KeptFor,
): Promise<KeptFinding[]> {
  const rows = await tx.rows(list({ chain, merchant, item }))
  return rows.map((row) => ({ kind: row.kind, content: readContent(row.content) }) as KeptFinding)
}

/** Forgets what was kept for an item: it is in the books now. */
export async function dropKeptNews(tx: Database, chain: number, { merchant, item }: KeptFor): Promise<void> {
  await tx.run(drop({ chain, merchant, item }))
}

/** Forgets what was found in blocks above a height: they are read again. What they took back stays known. */
export async function dropKeptNewsAbove(tx: Database, chain: number, height: bigint): Promise<void> {
  await tx.run(dropAbove({ chain, height }))
}

function textOf({ kind, content }: KeptFinding): string {
  return `${kind} ${textOfKey(content)}`
}

function blockOf(changes: KeptFinding): bigint {
  return changes.kind === 'orphaned' ? changes.content.blockNumber : changes.content.block.number
}

const insert = statement({
  name: 'insert-set-aside-news',
  text: `INSERT INTO set_aside_news (chain, merchant, item, kind, tx_hash, log_index, address, block_number, content)
    SELECT :chain, :merchant, :item, t.* FROM
      unnest(:each.kind::text[], :each.content.txHash::text[], :each.content.logIndex::int8[],
        :each.content.address::text[], :blocks::int8[], :contents::jsonb[]) AS t
    ON CONFLICT (chain, merchant, item, kind, tx_hash, log_index, address) DO UPDATE SET
      block_number = excluded.block_number, content = excluded.content`,
})

const list = statement({
  name: 'list-set-aside-news',
  reads: { kind: text<KeptFinding['kind']>(), content: text() },
  text: `SELECT kind, content::text AS content FROM set_aside_news WHERE chain = :chain AND merchant = :merchant
    AND item = :item
    ORDER BY block_number, log_index, tx_hash, address`,
})

const drop = statement({
  name: 'drop-set-aside-news',
  text: `DELETE FROM set_aside_news WHERE chain = :chain AND merchant = :merchant AND item = :item`,
})

const dropAbove = statement({
  name: 'drop-set-aside-news-above',
  text: `DELETE FROM set_aside_news WHERE chain = :chain AND block_number > :height AND kind <> 'orphaned'`,
})
