import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { defer } from '../../platform/jobs/defer.ts'
import { ItemError } from '../../platform/jobs/item-error.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Log } from '../../platform/log.ts'
import { findBlockHashes, keptBelowFinal } from '../cursors/store.ts'
import type { KnownLog } from '../ledger/known-log.ts'
import { listKnownLogs, loseLogs } from '../ledger/known-log-store.ts'
import type { Finding, UnmatchedLog } from '../ledger/match-transfer.ts'
import { type PaymentKey, textOfKey } from '../ledger/payment.ts'
import type { SettleContext } from './settle-receipt.ts'

export type KeptFinding =
  | { readonly kind: 'finding'; readonly content: Finding }
  | { readonly kind: 'unmatched'; readonly content: UnmatchedLog }
  | { readonly kind: 'orphaned'; readonly content: KeptReversal }

export type KeptReversal = PaymentKey & {
  readonly blockNumber: bigint
  /** Hash of the removed block, stored because old blocks are pruned. Absent in old rows. */
  readonly goneHash?: Hex | undefined
}

/** Creates the reversal of all payments of a receipt in a block, under a key that no payment has. */
export function reversalOfBlock(hash: Hex): KeptReversal {
  return { txHash: hash, logIndex: 0, address: '', blockNumber: 0n, goneHash: hash }
}

function blockOfReversal({ txHash, logIndex, goneHash }: KeptReversal): Hex | undefined {
  return logIndex === 0 && txHash === goneHash ? goneHash : undefined
}

/**
 * Serializes a finding. A bigint becomes a string with the suffix `n`.
 *
 * When a finding is read, field names identify bigints, because a receipt id may be `42n`.
 */
export function writeContent(content: KeptFinding['content']): string {
  return JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}

export function readContent(text: string): KeptFinding['content'] {
  return JSON.parse(text, (name, value) =>
    Object.hasOwn(bigints, name) && typeof value === 'string' ? BigInt(value.slice(0, -1)) : value,
  )
}

/** Names of all bigint fields at any depth. The type makes a missing name a compile error. */
const bigints: Record<FieldsOf<KeptFinding['content'], bigint>, true> = {
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

type KeptMoney = Exclude<KeptFinding, { readonly kind: 'orphaned' }>

type ItemToKeep = { readonly merchant: Wallet; readonly item: string; readonly kept: readonly KeptFinding[] }

/** Defers an item with its findings, in the transaction of the failed step. Safe to repeat. */
export async function keepItem(
  needs: { tx: Database; clock: Clock; log: Log },
  chain: number,
  { merchant, item, kept }: ItemToKeep,
  error: unknown,
): Promise<void> {
  const textOf = ({ kind, content }: KeptFinding) => `${kind} ${textOfKey(content)}`
  const each = [...new Map(kept.map((change) => [textOf(change), change])).values()]
  const contents = each.map(({ content }) => writeContent(content))
  if (each.length > 0)
    await needs.tx.run(insert({ chain, merchant, item, each, blocks: each.map(blockOf), contents }))
  await defer({ ...needs, db: needs.tx }, { job: jobNames.scanTransfers, merchant, item }, error)
}

export async function listKept(
  tx: Database,
  chain: number,
  { merchant, item }: Omit<ItemToKeep, 'kept'>,
): Promise<KeptFinding[]> {
  const rows = await tx.rows(list({ chain, merchant, item }))
  return rows.map(({ kind, content }) => ({ kind, content: readContent(content) }) as KeptFinding)
}

export async function dropKept(
  tx: Database,
  chain: number,
  { merchant, item }: Omit<ItemToKeep, 'kept'>,
): Promise<void> {
  await tx.run(drop({ chain, merchant, item }))
}

/** Deletes deferred findings above a height, because those blocks are read again. Reversals stay. */
export async function dropKeptAbove(tx: Database, chain: number, height: bigint): Promise<void> {
  await tx.run(dropAbove({ chain, height }))
}

function blockOf(changes: KeptFinding): bigint {
  return changes.kind === 'orphaned' ? changes.content.blockNumber : changes.content.block.number
}

const insert = statement({
  name: 'insert-deferred-findings',
  text: `INSERT INTO deferred_finding (chain, merchant, item, kind, tx_hash, log_index, address, block_number, content)
    SELECT :chain, :merchant, :item, t.* FROM
      unnest(:each.kind::text[], :each.content.txHash::text[], :each.content.logIndex::int8[],
        :each.content.address::text[], :blocks::int8[], :contents::jsonb[]) AS t
    ON CONFLICT (chain, merchant, item, kind, tx_hash, log_index, address) DO UPDATE SET
      block_number = excluded.block_number, content = excluded.content`,
})

const list = statement({
  name: 'list-deferred-findings',
  reads: { kind: text<KeptFinding['kind']>(), content: text() },
  text: `SELECT kind, content::text AS content FROM deferred_finding
    WHERE chain = :chain AND merchant = :merchant AND item = :item
    ORDER BY block_number, log_index, tx_hash COLLATE "C", address COLLATE "C"`,
})

const drop = statement({
  name: 'drop-deferred-findings',
  text: 'DELETE FROM deferred_finding WHERE chain = :chain AND merchant = :merchant AND item = :item',
})

const dropAbove = statement({
  name: 'drop-deferred-findings-above',
  text: `DELETE FROM deferred_finding WHERE chain = :chain AND block_number > :height AND kind <> 'orphaned'`,
})

/**
 * Rolls back deferred findings whose block was reorged out.
 *
 * Old blocks are pruned. For a pruned block, a later finding of the same transaction decides, otherwise the
 * stored hash of the removed block.
 *
 * @returns the removed blocks that are known to have contained payments of the item.
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
      ...known.flatMap(({ isLost, block }) => (isLost ? [block.hash] : [])),
    ]),
  ]
}

/**
 * Evaluates whether a payment's block is the removed one.
 *
 * Without a stored hash, waits until the block is read. If that block is pruned, trusts the reversal.
 */
function wasGone({ goneHash, blockNumber }: KeptReversal, hash: Hex, isForgotten: boolean): boolean {
  if (goneHash !== undefined) return goneHash === hash
  if (isForgotten) return true
  throw new ItemError('block-unknown', `it is unknown whether block ${blockNumber} is part of the chain`)
}
