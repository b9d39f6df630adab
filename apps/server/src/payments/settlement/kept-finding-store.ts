import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { inParts } from '../../platform/database/table.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { setAside } from '../../platform/jobs/set-aside.ts'
import type { Log } from '../../platform/log.ts'
import { textOfKey } from '../ledger/payment.ts'
import { type KeptFinding, type KeptReversal, readContent, writeContent } from './kept-finding.ts'
import type { SettleItem } from './settle-item.ts'

/** Money that was found, and is kept. */
export type KeptMoney = Exclude<KeptFinding, { readonly kind: 'orphaned' }>

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
  await inParts(each, (part) => {
    const [blocks, contents] = [part.map(blockOf), part.map(({ content }) => writeContent(content))]
    return tx.run(insert({ chain, merchant, item, each: part, blocks, contents }))
  })
}

/** The first of the money that was found and is kept for an item, in the order of the chain. */
export async function listKeptFindings(
  tx: Database,
  chain: number,
  { merchant, item }: KeptFor,
  limit: number,
): Promise<KeptMoney[]> {
  const rows = await tx.rows(list({ chain, merchant, item, limit }))
  return rows.map(({ kind, content }) => ({ kind, content: readContent(content) }) as KeptMoney)
}

/** Some of the money of which the blocks went, and that is kept for an item. */
export async function listKeptReversals(
  tx: Database,
  chain: number,
  { merchant, item }: KeptFor,
  limit: number,
): Promise<KeptReversal[]> {
  const rows = await tx.rows(listReversals({ chain, merchant, item, limit }))
  return rows.map(({ content }) => readContent(content) as KeptReversal)
}

/** In which blocks money of transactions was found, as far as that is kept for an item, by their hashes. */
export async function listKeptPlaces(
  tx: Database,
  chain: number,
  { merchant, item }: KeptFor,
  txHashes: readonly Hex[],
): Promise<Map<Hex, Hex[]>> {
  const rows = await tx.rows(listPlaces({ chain, merchant, item, txHashes }))
  const byTransaction = Map.groupBy(rows, ({ txHash }) => txHash)
  return new Map([...byTransaction].map(([txHash, own]) => [txHash, own.map(({ blockHash }) => blockHash)]))
}

/** Forgets some of what was kept for an item. */
export async function dropKept(
  tx: Database,
  chain: number,
  { merchant, item }: KeptFor,
  changes: readonly KeptFinding[],
): Promise<void> {
  await inParts(changes, (each) => tx.run(dropSome({ chain, merchant, item, each })))
}

/** Forgets what was kept for an item: it is in the books now. */
export async function dropKeptNews(tx: Database, chain: number, { merchant, item }: KeptFor): Promise<void> {
  await tx.run(drop({ chain, merchant, item }))
}

/** Forgets what was kept for an item of money of which the blocks went: it is taken back now. */
export async function dropReversals(tx: Database, chain: number, { merchant, item }: KeptFor): Promise<void> {
  await tx.run(dropLost({ chain, merchant, item }))
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

const isOfItem = 'chain = :chain AND merchant = :merchant AND item = :item'

const list = statement({
  name: 'list-set-aside-news',
  reads: { kind: text<KeptMoney['kind']>(), content: text() },
  text: `SELECT kind, content::text AS content FROM set_aside_news WHERE ${isOfItem} AND kind <> 'orphaned'
    ORDER BY block_number, log_index, tx_hash COLLATE "C", address COLLATE "C" LIMIT :limit`,
})

const listReversals = statement({
  name: 'list-set-aside-reversals',
  reads: { content: text() },
  text: `SELECT content::text AS content FROM set_aside_news WHERE ${isOfItem} AND kind = 'orphaned' LIMIT :limit`,
})

const listPlaces = statement({
  name: 'list-places-of-set-aside-news',
  reads: { txHash: text<Hex>(), blockHash: text<Hex>() },
  text: `SELECT tx_hash, content #>> '{block,hash}' AS block_hash FROM set_aside_news
    WHERE ${isOfItem} AND kind <> 'orphaned' AND tx_hash = ANY(:txHashes::text[])`,
})

const dropSome = statement({
  name: 'drop-some-set-aside-news',
  text: `DELETE FROM set_aside_news AS kept
    USING unnest(:each.kind::text[], :each.content.txHash::text[], :each.content.logIndex::int8[],
      :each.content.address::text[]) AS done (kind, tx_hash, log_index, address)
    WHERE kept.chain = :chain AND kept.merchant = :merchant AND kept.item = :item AND kept.kind = done.kind
      AND kept.tx_hash = done.tx_hash AND kept.log_index = done.log_index AND kept.address = done.address`,
})

const drop = statement({
  name: 'drop-set-aside-news',
  text: `DELETE FROM set_aside_news WHERE ${isOfItem}`,
})

const dropLost = statement({
  name: 'drop-set-aside-reversals',
  text: `DELETE FROM set_aside_news WHERE ${isOfItem} AND kind = 'orphaned'`,
})

const dropAbove = statement({
  name: 'drop-set-aside-news-above',
  text: `DELETE FROM set_aside_news WHERE chain = :chain AND block_number > :height AND kind <> 'orphaned'`,
})

/** Sets an item aside with all that is known of it, in the transaction of the step that came upon it. */
export async function keepItem(
  needs: { tx: Database; clock: Clock; log: Log },
  chain: number,
  { merchant, item, kept }: Pick<SettleItem, 'merchant' | 'item' | 'kept'>,
  fault: unknown,
): Promise<void> {
  await keepFindings(needs.tx, chain, { merchant, item }, kept)
  await setAside({ ...needs, db: needs.tx }, { job: jobNames.scanTransfers, merchant, item }, fault)
}
