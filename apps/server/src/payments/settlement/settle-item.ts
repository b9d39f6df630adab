import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { keyOf } from '../../platform/jobs/defer.ts'
import type { ReturnedLog } from '../ledger/known-log.ts'
import { type Finding, groupByReceipt, type UnmatchedLog } from '../ledger/match-transfer.ts'
import { type PaymentKey, textOfKey } from '../ledger/payment.ts'
import type { ReceiptRef } from '../ledger/place-store.ts'
import { type KeptFinding, type KeptReversal, reversalOfBlock } from './deferred-finding.ts'
import type { ChainChanges } from './settle-receipt.ts'

/** The unit of settlement: a receipt, or one payment without a receipt. */
export type SettleItem = {
  readonly merchant: Wallet
  readonly item: string
  readonly receiptId: ReceiptId | undefined
  readonly settles: readonly { readonly ref: ReceiptRef; readonly changes: ChainChanges }[]
  readonly unmatchedLogs: readonly UnmatchedLog[]
  readonly cases: readonly ReturnedLog[]
  readonly kept: readonly KeptFinding[]
}

type Money = {
  readonly fresh: readonly (Finding | UnmatchedLog)[]
  readonly returned: readonly ReturnedLog<Finding | UnmatchedLog>[]
}

const receiptPrefix = 'receipt '

export function sortIntoItems({ fresh, returned }: Money): SettleItem[] {
  const findings = fresh.flatMap((log) => (isUnmatchedLog(log) ? [] : [log]))
  const items = groupByReceipt(findings).flatMap((group) =>
    group[0] ? [itemOfReceipt(group[0].target, { findings: group }, group)] : [],
  )
  for (const { was, found } of returned) {
    const { merchant, receiptId } = was
    if (receiptId === undefined)
      items.push({ ...itemOfLog(found), unmatchedLogs: [], cases: [{ was, found }] })
    else items.push(itemOfReceipt({ merchant, receiptId }, { returned: [{ was, found }] }, [found]))
  }
  return [...items, ...fresh.flatMap((log) => (isUnmatchedLog(log) ? [itemOfLog(log)] : []))]
}

export function itemOfReceipt(
  ref: ReceiptRef,
  changes: ChainChanges,
  found: readonly (Finding | UnmatchedLog)[] = [],
): SettleItem {
  const { merchant, receiptId } = ref
  const lost = changes.lost ?? []
  return {
    merchant,
    item: `${receiptPrefix}${receiptId}`,
    receiptId,
    settles: [{ ref: { merchant, receiptId }, changes }],
    unmatchedLogs: [],
    cases: [],
    kept: [
      ...found.map(keptLog),
      ...lost.map((hash) => ({ kind: 'orphaned', content: reversalOfBlock(hash) }) as const),
    ],
  }
}

export function itemOfLost(
  merchant: Wallet,
  receiptId: ReceiptId | undefined,
  keys: readonly KeptReversal[],
): Pick<SettleItem, 'merchant' | 'item' | 'kept'> {
  const [key] = keys
  const item = receiptId === undefined && key ? nameOfLog(key) : `${receiptPrefix}${receiptId}`
  return { merchant, item, kept: keys.map((content) => ({ kind: 'orphaned', content })) }
}

export function itemOfLog(log: Finding | UnmatchedLog): SettleItem {
  if (!isUnmatchedLog(log)) return itemOfReceipt(log.target, { findings: [log] }, [log])
  const { merchant, txHash, logIndex, address } = log
  const item = nameOfLog({ txHash, logIndex, address })
  return {
    merchant,
    item,
    receiptId: undefined,
    settles: [],
    unmatchedLogs: [log],
    cases: [],
    kept: [keptLog(log)],
  }
}

export function itemNamed(merchant: Wallet, item: string): SettleItem {
  if (item.startsWith(receiptPrefix))
    return itemOfReceipt({ merchant, receiptId: item.slice(receiptPrefix.length) as ReceiptId }, {})
  return { merchant, item, receiptId: undefined, settles: [], unmatchedLogs: [], cases: [], kept: [] }
}

/** Merges items by name. Uses a single pass, because anyone can send thousands of tiny payments. */
export function mergeItems(items: readonly SettleItem[]): Map<string, SettleItem> {
  const merged = [...Map.groupBy(items, keyOf)].map(([name, all]) => [name, joinAll(all)] as const)
  return new Map(merged.flatMap(([name, item]) => (item ? [[name, item] as const] : [])))
}

export function addKept(item: SettleItem, kept: readonly SettleItem[], lost: readonly Hex[]): SettleItem {
  const { merchant, receiptId } = item
  const own = receiptId === undefined ? [] : [itemOfReceipt({ merchant, receiptId }, { lost })]
  return joinAll([item, ...own, ...kept]) ?? item
}

function joinAll(items: readonly SettleItem[]): SettleItem | undefined {
  const [first] = items
  if (!first || items.length === 1) return first
  const settles = Map.groupBy(
    items.flatMap((item) => item.settles),
    ({ ref }) => ref.receiptId,
  )
  return {
    ...first,
    settles: [...settles.values()].flatMap(([one, ...more]) => {
      if (!one || more.length === 0) return one ?? []
      return { ref: one.ref, changes: joinChanges([one, ...more].map(({ changes }) => changes)) }
    }),
    unmatchedLogs:
      onceEach(
        items.flatMap(({ unmatchedLogs }) => unmatchedLogs),
        textOfKey,
      ) ?? [],
    cases:
      onceEach(
        items.flatMap(({ cases }) => cases),
        textOfFound,
      ) ?? [],
    kept: items.flatMap(({ kept }) => kept),
  }
}

/** Absent fields stay absent: their presence means that a payment was lost or returned. */
function joinChanges(all: readonly ChainChanges[]): ChainChanges {
  const findings = onceEach(
    all.flatMap((changes) => changes.findings ?? []),
    textOfKey,
  )
  const returned = onceEach(
    all.flatMap((changes) => changes.returned ?? []),
    textOfFound,
  )
  const lost = onceEach(
    all.flatMap((changes) => changes.lost ?? []),
    (hash) => hash,
  )
  return {
    ...(findings && { findings }),
    ...(returned && { returned }),
    ...(lost && { lost }),
  }
}

function onceEach<T>(all: readonly T[], textOf: (each: T) => string): readonly T[] | undefined {
  return all.length > 0 ? [...new Map(all.map((each) => [textOf(each), each])).values()] : undefined
}

function textOfFound({ found }: ReturnedLog): string {
  return textOfKey(found)
}

function nameOfLog({ txHash, logIndex, address }: PaymentKey): string {
  return `payment ${txHash}/${logIndex}/${address}`
}

function keptLog(log: Finding | UnmatchedLog): KeptFinding {
  return isUnmatchedLog(log) ? { kind: 'unmatched', content: log } : { kind: 'finding', content: log }
}

function isUnmatchedLog(log: Finding | UnmatchedLog): log is UnmatchedLog {
  return 'reason' in log
}
