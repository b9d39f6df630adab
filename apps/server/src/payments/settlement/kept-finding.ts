import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { ItemFault } from '../../platform/jobs/item-fault.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { setAside } from '../../platform/jobs/set-aside.ts'
import type { Log } from '../../platform/log.ts'
import { findBlockHashes, keptBelowFinal } from '../cursors/store.ts'
import type { KnownLog } from '../ledger/known-log.ts'
import { listKnownLogs, loseLogs } from '../ledger/known-log-store.ts'
import type { Finding, UnmatchedLog } from '../ledger/match-transfer.ts'
import { type PaymentKey, textOfKey } from '../ledger/payment.ts'
import type { SettleContext } from './settle-receipt.ts'

/** What a watcher found and could not write into the books: money for a receipt or for none, or money lost. */
export type KeptFinding =
  | { readonly kind: 'finding'; readonly content: Finding }
  | { readonly kind: 'unmatched'; readonly content: UnmatchedLog }
  | { readonly kind: 'orphaned'; readonly content: KeptReversal }

/** Money that a reorg took the block of. */
export type KeptReversal = PaymentKey & {
  readonly blockNumber: bigint
  /** The block that was gone, which is not remembered for ever; absent in old rows. */
  readonly goneHash?: Hex | undefined
}

/** That payments of a receipt went with a block, and are marked: whatever they are, under a key that is no payment's. */
export function reversalOfBlock(hash: Hex): KeptReversal {
  return { txHash: hash, logIndex: 0, address: '', blockNumber: 0n, goneHash: hash }
}

/** The block of which a reversal says no more than that it is gone. */
function blockOfReversal({ txHash, logIndex, goneHash }: KeptReversal): Hex | undefined {
  return logIndex === 0 && txHash === goneHash ? goneHash : undefined
}

/**
 * What is kept of a finding, as text. Its bigints are texts with an `n` there, which are told by the names of their
 * fields: a receipt may be called `42n`.
 */
export function writeContent(content: KeptFinding['content']): string {
  return JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}

/** The reverse of {@link writeContent}. */
export function readContent(text: string): KeptFinding['content'] {
  return JSON.parse(text, (name, value) =>
    Object.hasOwn(bigints, name) && typeof value === 'string' ? BigInt(value.slice(0, -1)) : value,
  )
}

/** Every field of what is kept, however deep, that is a bigint: the compiler misses none. */
const bigints: Record<FieldsOf<KeptFinding['content'], bigint>, true> = {
  amount: true,
  blockNumber: true,
  lateRate: true,
  number: true,
}

/** The names of the fields of that kind, in a record and in those inside of it. */
type FieldsOf<Content, Kind> = Content extends object
  ? { [Name in keyof Content & string]: FieldOf<Name, Content[Name], Kind> }[keyof Content & string]
  : never

type FieldOf<Name, Value, Kind> = Value extends Kind
  ? Name
  : Value extends object
    ? FieldsOf<Value, Kind>
    : never

/** Money that was found, and is kept. */
type KeptMoney = Exclude<KeptFinding, { readonly kind: 'orphaned' }>

/** An item, and what has to be kept for it where it is set aside. */
type ItemToKeep = { readonly merchant: Wallet; readonly item: string; readonly kept: readonly KeptFinding[] }

/** Sets an item aside with all that is known of it, in the transaction of the step that came upon it. Safe to repeat. */
export async function keepItem(
  needs: { tx: Database; clock: Clock; log: Log },
  chain: number,
  { merchant, item, kept }: ItemToKeep,
  fault: unknown,
): Promise<void> {
  const textOf = ({ kind, content }: KeptFinding) => `${kind} ${textOfKey(content)}`
  const each = [...new Map(kept.map((change) => [textOf(change), change])).values()]
  const contents = each.map(({ content }) => writeContent(content))
  if (each.length > 0)
    await needs.tx.run(insert({ chain, merchant, item, each, blocks: each.map(blockOf), contents }))
  await setAside({ ...needs, db: needs.tx }, { job: jobNames.scanTransfers, merchant, item }, fault)
}

/** What is kept for an item, in the order of the chain. */
export async function listKept(
  tx: Database,
  chain: number,
  { merchant, item }: Omit<ItemToKeep, 'kept'>,
): Promise<KeptFinding[]> {
  const rows = await tx.rows(list({ chain, merchant, item }))
  return rows.map(({ kind, content }) => ({ kind, content: readContent(content) }) as KeptFinding)
}

/** Forgets what was kept for an item: it is in the books now. */
export async function dropKept(
  tx: Database,
  chain: number,
  { merchant, item }: Omit<ItemToKeep, 'kept'>,
): Promise<void> {
  await tx.run(drop({ chain, merchant, item }))
}

/** Forgets what was found in blocks above a height: they are read again. What they took back stays known. */
export async function dropKeptAbove(tx: Database, chain: number, height: bigint): Promise<void> {
  await tx.run(dropAbove({ chain, height }))
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
  text: `SELECT kind, content::text AS content FROM set_aside_news
    WHERE chain = :chain AND merchant = :merchant AND item = :item
    ORDER BY block_number, log_index, tx_hash COLLATE "C", address COLLATE "C"`,
})

const drop = statement({
  name: 'drop-set-aside-news',
  text: 'DELETE FROM set_aside_news WHERE chain = :chain AND merchant = :merchant AND item = :item',
})

const dropAbove = statement({
  name: 'drop-set-aside-news-above',
  text: `DELETE FROM set_aside_news WHERE chain = :chain AND block_number > :height AND kind <> 'orphaned'`,
})

/**
 * Takes back what was kept for an item because its block went, and could not be taken back then, as far as it still stands
 * in one that is not part of the chain.
 *
 * Blocks are not remembered for ever. Of one that no longer is, what was kept decides: the block in which the same
 * transaction was found since, else that the block was gone when it was kept.
 *
 * @returns the blocks that the item's payments are known to have gone with.
 */
export async function loseKept(
  tx: Database,
  { chain, tags }: Pick<SettleContext, 'chain' | 'tags'>,
  merchant: Wallet,
  kept: { readonly reversals: readonly KeptReversal[]; readonly money: readonly KeptMoney[] },
): Promise<Hex[]> {
  if (kept.reversals.length === 0) return []
  const reversals = new Map(kept.reversals.map((key) => [textOfKey(key), key]))
  const txHashes = [...new Set(kept.reversals.map(({ txHash }) => txHash))]
  const logs = await listKnownLogs(tx, chain, merchant, txHashes, [])
  const known = logs.filter((log) => reversals.has(textOfKey(log)))
  const standing = known.filter(({ isLost }) => !isLost)
  const heights = new Set(standing.map(({ block }) => block.number))
  const hashes = await findBlockHashes(tx, chain, [...heights])
  const isGone = (log: KnownLog): boolean => {
    const { number, hash } = log.block
    const remembered = hashes.get(number)
    if (remembered !== undefined) return remembered !== hash
    const reversal = reversals.get(textOfKey(log))
    if (reversal?.blockNumber !== number) return false
    const found = kept.money.filter(({ content }) => content.txHash === log.txHash)
    if (found.length > 0) return found.every(({ content }) => content.block.hash !== hash)
    return wasGone(reversal, hash, number < tags.final - keptBelowFinal)
  }
  const lost = await loseLogs(tx, chain, merchant, standing.filter(isGone), [])
  return [
    ...new Set([
      ...lost.map(({ blockHash }) => blockHash),
      ...kept.reversals.flatMap((reversal) => blockOfReversal(reversal) ?? []),
      // Those of earlier releases name payments that are marked already.
      ...known.flatMap(({ isLost, block }) => (isLost ? [block.hash] : [])),
    ]),
  ]
}

/**
 * Whether the block that money stands in is the one that was gone. Where a reversal does not say which that was, the
 * answer waits until the block at its height has been read; where that has been forgotten, the reversal is believed.
 */
function wasGone({ goneHash, blockNumber }: KeptReversal, hash: Hex, isForgotten: boolean): boolean {
  if (goneHash !== undefined) return goneHash === hash
  if (isForgotten) return true
  throw new ItemFault('block-unknown', `whether block ${blockNumber} is part of the chain is not known`)
}
