import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { keyOf, listTries, walkItems } from '../../platform/jobs/defer.ts'
import { findOwnTimeout, isItemError } from '../../platform/jobs/item-error.ts'
import { cursorNames, jobNames } from '../../platform/jobs/names.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { listExpiredReceipts } from '../attempts/targets.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import { shareCursor } from '../cursors/store.ts'
import type { ReturnedLog } from '../ledger/known-log.ts'
import { recogniseFound } from '../ledger/known-log-store.ts'
import type { Finding, UnmatchedLog } from '../ledger/match-transfer.ts'
import {
  isAnythingDue,
  listDueReceipts,
  listFoundMerchants,
  listFoundReceipts,
  listLooseItems,
} from './due-store.ts'
import { dropFindings, listFindings, type SettleItem } from './finding-store.ts'
import { type LostPayment, loseReversed } from './lose-reversed.ts'
import { recordUnmatchedLogs, returnCases } from './record-unmatched-logs.ts'
import type { ChainChanges, SettleContext } from './settle-context.ts'
import { settleReceipt } from './settle-receipt.ts'

const receiptsPerRound = 200
/** Payments without a receipt are recorded together, because anyone can send thousands of tiny ones. */
const looseAtOnce = 1_000

type Settled = { readonly isNew: boolean; readonly isFull: boolean }

/**
 * Settles what the watcher found, each receipt in its own transaction: findings, reversals, payments that
 * reached their finality, and offers that ended. An item that fails is deferred and retried.
 *
 * @returns whether there are events to deliver, and whether more items are due.
 */
export async function settleDue(needs: ScanNeeds, context: SettleContext): Promise<Settled> {
  const { db, chain, clock } = needs
  const { tags, coveredTo } = context
  if (!(await isAnythingDue(db, chain.id, { tags, coveredTo, now: clock.now() })))
    return { isNew: false, isFull: false }
  const { items, isFull } = await listDueItems(needs, context)
  let isNew = await settleAlone(needs, context, items)
  let hasMore = isFull
  for (const merchant of await listFoundMerchants(db, chain.id)) {
    const loose = await listLooseItems(db, chain.id, merchant, looseAtOnce)
    if (await settleTogether(needs, context, merchant, loose)) isNew = true
    hasMore ||= loose.length === looseAtOnce
  }
  return { isNew, isFull: hasMore }
}

async function listDueItems(
  needs: ScanNeeds,
  { chain, tags, coveredTo }: SettleContext,
): Promise<{ items: SettleItem[]; isFull: boolean }> {
  const { db, random } = needs
  const found = await listFoundReceipts(db, chain, random, receiptsPerRound)
  const due = await listDueReceipts(db, chain, tags, random, receiptsPerRound)
  const expired = await listExpiredReceipts(db, chain, coveredTo, receiptsPerRound)
  const tries = await listTries(needs, jobNames.scanTransfers)
  const all = [
    ...found,
    ...[...due, ...expired].map((ref) => ({ ...ref, item: `${receiptPrefix}${ref.receiptId}` })),
    ...tries.map(({ merchant, item }) => itemNamed(merchant as Wallet, item)),
  ]
  return {
    items: [...new Map(all.map((item) => [keyOf(item), item])).values()],
    isFull: [found, due, expired].some(({ length }) => length === receiptsPerRound),
  }
}

const receiptPrefix = 'receipt '

function itemNamed(merchant: Wallet, item: string): SettleItem {
  const receiptId = item.startsWith(receiptPrefix)
    ? (item.slice(receiptPrefix.length) as ReceiptId)
    : undefined
  return { merchant, item, receiptId }
}

async function settleAlone(
  needs: ScanNeeds,
  context: SettleContext,
  items: readonly SettleItem[],
): Promise<boolean> {
  let isNew = false
  await walkItems(needs, items, {
    job: jobNames.scanTransfers,
    nameOf: ({ merchant, item }) => ({ merchant, item }),
    async work({ merchant, receiptId, item }) {
      if (await settleItems(needs, context, { merchant, receiptId, items: [item] })) isNew = true
    },
  })
  return isNew
}

async function settleTogether(
  needs: ScanNeeds,
  context: SettleContext,
  merchant: Wallet,
  loose: readonly SettleItem[],
): Promise<boolean> {
  try {
    const items = loose.map(({ item }) => item)
    return await settleItems(needs, context, { merchant, receiptId: undefined, items })
  } catch (error) {
    if (!isItemError(error) && !(await findOwnTimeout(needs.db, error))) throw error
    return settleAlone(needs, context, loose)
  }
}

type Together = {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId | undefined
  readonly items: readonly string[]
}

async function settleItems(
  needs: ScanNeeds,
  context: SettleContext,
  { merchant, receiptId, items }: Together,
): Promise<boolean> {
  const { chain } = context
  return needs.db.transaction(async (tx) => {
    if (receiptId !== undefined) await lockReceipt(tx, merchant, receiptId)
    // Until the commit, no reorg can reverse the blocks of these findings.
    await shareCursor(tx, chain, cursorNames.transfers)
    const stored = await listFindings(tx, chain, merchant, items)
    const reversals = stored.flatMap((each) => (each.kind === 'orphaned' ? [each.content] : []))
    const found = stored.flatMap((each) => (each.kind === 'orphaned' ? [] : [each.content]))
    const lost = await loseReversed(tx, context, merchant, { reversals, found })
    const { fresh, returned } = await recogniseFound(tx, chain, found)
    await recordUnmatchedLogs({ ...needs, tx }, chain, fresh.filter(isUnmatchedLog))
    await returnCases(
      { tx },
      chain,
      returned.filter(({ was }) => was.receiptId === undefined),
    )
    const findings = fresh.flatMap((log) => (isUnmatchedLog(log) ? [] : [log]))
    let isNew = false
    for (const [id, changes] of groupChanges(receiptId, { findings, returned, lost })) {
      const settled = await settleReceipt({ ...needs, tx }, context, { merchant, receiptId: id }, changes)
      isNew ||= settled.isNew
    }
    await dropFindings(tx, chain, merchant, { items, findings: stored })
    return isNew
  })
}

function isUnmatchedLog(log: Finding | UnmatchedLog): log is UnmatchedLog {
  return 'reason' in log
}

type Changes = {
  readonly findings: readonly Finding[]
  readonly returned: readonly ReturnedLog[]
  readonly lost: readonly LostPayment[]
}

/** Groups changes by receipt: a payment that was applied to another receipt returns to that one. */
function groupChanges(
  own: ReceiptId | undefined,
  { findings, returned, lost }: Changes,
): Map<ReceiptId, ChainChanges> {
  const back = Map.groupBy(returned, ({ was }) => was.receiptId)
  const gone = Map.groupBy(lost, ({ receiptId }) => receiptId)
  const all = [own, ...findings.map(({ target }) => target.receiptId), ...back.keys(), ...gone.keys()]
  const ids = [...new Set(all)].filter((id) => id !== undefined)
  return new Map(
    ids.map((id) => {
      const fresh = findings.filter(({ target }) => target.receiptId === id)
      const hashes = [...new Set((gone.get(id) ?? []).map(({ blockHash }) => blockHash))]
      // Absent fields stay absent: their presence means that a payment was lost or returned.
      const changes: ChainChanges = {
        ...(fresh.length > 0 && { findings: fresh }),
        ...(back.has(id) && { returned: back.get(id) ?? [] }),
        ...(hashes.length > 0 && { lost: hashes }),
      }
      return [id, changes] as const
    }),
  )
}
