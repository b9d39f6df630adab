import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { endDeferral, keyOf, listTries } from '../../platform/jobs/defer.ts'
import { type ItemName, listDeferredOf } from '../../platform/jobs/deferred-store.ts'
import { doEachUnderWay, type UnderWay } from '../../platform/jobs/despite-stuck.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Log } from '../../platform/log.ts'
import { recogniseFound } from '../ledger/known-log-store.ts'
import type { Finding, UnmatchedLog } from '../ledger/match-transfer.ts'
import type { ReceiptRef } from '../ledger/place-store.ts'
import { dropKept, keepItem, listKept, loseKept } from './deferred-finding.ts'
import { recordUnmatchedLogs, returnCases } from './record-unmatched-logs.ts'
import type { LostPayments } from './roll-back.ts'
import {
  addKept,
  itemNamed,
  itemOfLog,
  itemOfReceipt,
  mergeItems,
  type SettleItem,
  sortIntoItems,
} from './settle-item.ts'
import { type SettleContext, settleReceipt } from './settle-receipt.ts'

export type StepNews = {
  readonly found: readonly (Finding | UnmatchedLog)[]
  readonly lost: readonly LostPayments[]
  readonly looks: readonly ReceiptRef[]
}

type Needs = {
  tx: Database
  clock: Clock
  random: Random
  log: Log
  underWay?: UnderWay
}

/**
 * Settles each receipt and each unmatched payment in the transaction that moves the watcher's cursor.
 *
 * An item that fails is deferred with its findings, and retried in a later step.
 *
 * @returns whether there are events to deliver.
 */
export async function settleEach(
  needs: Needs,
  context: SettleContext,
  step: StepNews,
): Promise<{ isNew: boolean }> {
  const { tx, underWay = { current: undefined, stuck: new Map() } } = needs
  const { chain } = context
  const keep = (item: SettleItem, error: unknown) => keepItem(needs, chain, item, error)
  const tries = await listTries({ ...needs, db: tx }, jobNames.scanTransfers)
  const own = await listDeferredOf(tx, jobNames.scanTransfers, merchantsOf(step))
  const deferred = new Map([...tries, ...own].map((item) => [keyOf(item), item]))
  const recognised = new Map<Wallet, readonly SettleItem[]>()
  await doEachUnderWay(tx, underWay, [...Map.groupBy(step.found, ({ merchant }) => merchant)], {
    nameOf: ([merchant]) => merchant,
    async alone([merchant, own]) {
      recognised.set(merchant, sortIntoItems(await recogniseFound(tx, chain, own)))
    },
    async defer([merchant, own], error) {
      recognised.delete(merchant)
      for (const item of mergeItems(own.map(itemOfLog)).values()) await keep(item, error)
    },
  })
  const items = mergeItems([...[...recognised.values()].flat(), ...knownItems(step, tries)])

  let isNew = false
  // Consistent lock order of receipts prevents deadlocks.
  const ordered = [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
  const isDeferred = (item: SettleItem) => deferred.has(keyOf(item))
  const isFresh = (item: SettleItem) =>
    item.receiptId === undefined && item.unmatchedLogs.length > 0 && !isDeferred(item)
  await doEachUnderWay(
    tx,
    underWay,
    ordered.filter((item) => !isFresh(item)),
    {
      nameOf: (item) => keyOf(item),
      defer: keep,
      async alone(item) {
        const whole = isDeferred(item) ? await withKept(tx, context, item) : item
        if (await settleItem(needs, context, whole)) isNew = true
        if (isDeferred(item)) await endItem(needs, chain, item)
      },
    },
  )
  const record = (all: readonly SettleItem[]) =>
    recordUnmatchedLogs(
      needs,
      chain,
      all.flatMap(({ unmatchedLogs }) => unmatchedLogs),
    )
  const fresh = Map.groupBy(ordered.filter(isFresh), ({ merchant }) => merchant)
  await doEachUnderWay(tx, underWay, [...fresh.values()], {
    nameOf: ([item]) => `unmatched payments of ${item?.merchant}`,
    alone: record,
    defer: (own) =>
      doEachUnderWay(tx, underWay, own, {
        nameOf: (item) => keyOf(item),
        alone: (item) => record([item]),
        defer: keep,
      }),
  })
  return { isNew }
}

function merchantsOf({ found, lost, looks }: StepNews): string[] {
  return [...new Set([...found, ...lost, ...looks].map(({ merchant }) => merchant))]
}

function knownItems(
  { lost, looks }: StepNews,
  tries: readonly Pick<ItemName, 'merchant' | 'item'>[],
): SettleItem[] {
  return [
    ...lost.map(({ merchant, receiptId, blocks }) =>
      itemOfReceipt({ merchant, receiptId }, { lost: blocks }),
    ),
    ...looks.map((ref) => itemOfReceipt(ref, {})),
    ...tries.map(({ merchant, item }) => itemNamed(merchant as Wallet, item)),
  ]
}

async function withKept(tx: Database, context: SettleContext, item: SettleItem): Promise<SettleItem> {
  const kept = await listKept(tx, context.chain, item)
  const money = kept.flatMap((each) => (each.kind === 'orphaned' ? [] : [each]))
  const reversals = kept.flatMap((each) => (each.kind === 'orphaned' ? [each.content] : []))
  const lost = await loseKept(tx, context, item.merchant, { reversals, money })
  const found = money.map(({ content }) => content)
  return addKept(item, sortIntoItems(await recogniseFound(tx, context.chain, found)), lost)
}

async function settleItem(needs: Needs, context: SettleContext, item: SettleItem): Promise<boolean> {
  const { chain } = context
  await recordUnmatchedLogs(needs, chain, item.unmatchedLogs)
  await returnCases(needs, chain, item.cases)
  let isNew = false
  for (const { ref, changes } of item.settles) {
    const settled = await settleReceipt(needs, context, ref, changes)
    isNew ||= settled.isNew
  }
  return isNew
}

async function endItem({ tx, log }: Needs, chain: number, { merchant, item }: SettleItem): Promise<void> {
  await dropKept(tx, chain, { merchant, item })
  await endDeferral({ db: tx, log }, { job: jobNames.scanTransfers, merchant, item })
}
