import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import { machineAway, type Places } from '../../platform/cluster/places.ts'
import type { Database } from '../../platform/database/database.ts'
import { doEachUnderWay, type UnderWay } from '../../platform/jobs/despite-stuck.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { doEach } from '../../platform/jobs/savepoint.ts'
import { endSetAside, keyOf, listTries } from '../../platform/jobs/set-aside.ts'
import { type ItemName, listSetAsideOf } from '../../platform/jobs/set-aside-store.ts'
import type { Log } from '../../platform/log.ts'
import type { Finding, UnmatchedLog } from '../ledger/match-transfer.ts'
import type { ReceiptRef } from '../ledger/place-store.ts'
import { recogniseFound } from '../ledger/recognise-found.ts'
import { keepItem } from './keep-item.ts'
import { dropKeptNews, listKeptNews } from './kept-finding-store.ts'
import { loseKept } from './lose-kept.ts'
import { recordUnmatchedLogs, returnCases } from './record-unmatched-logs.ts'
import type { LostPayment } from './roll-back.ts'
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

/** What a step brought. */
export type StepNews = {
  readonly found: readonly (Finding | UnmatchedLog)[]
  readonly lost: readonly LostPayment[]
  /** Receipts to be looked at although nothing was found for them. */
  readonly looks: readonly ReceiptRef[]
}

type Needs = {
  tx: Database
  clock: Clock
  random: Random
  log: Log
  places?: Places
  /** Where the caller begins anew without those whose work takes too long. */
  underWay?: UnderWay
}

/**
 * Settles receipts and money without one, each alone, in the transaction that moves the watcher's cursor: what
 * cannot be settled is set aside with all that was found for it, and tried again with a later step. So is all that belongs to
 * merchants whose machine is away.
 *
 * @returns whether somebody has to be told.
 */
export async function settleEach(
  needs: Needs,
  context: SettleContext,
  given: StepNews,
): Promise<{ isNews: boolean }> {
  const { tx, underWay = { current: undefined, stuck: new Map() } } = needs
  const { chain } = context
  const keep = (item: SettleItem, fault: unknown) => keepItem(needs, chain, item, fault)
  const step = await leaveAway(needs, given, keep)
  const tries = await listTries({ ...needs, db: tx }, jobNames.scanTransfers)
  const own = await listSetAsideOf(tx, jobNames.scanTransfers, merchantsOf(step))
  const aside = new Map([...tries, ...own].map((item) => [keyOf(item), item]))
  const recognised = new Map<Wallet, readonly SettleItem[]>()
  await doEachUnderWay(tx, underWay, [...Map.groupBy(step.found, ({ merchant }) => merchant)], {
    nameOf: ([merchant]) => merchant,
    async alone([merchant, own]) {
      recognised.set(merchant, sortIntoItems(await recogniseFound(tx, chain, own)))
    },
    async setAside([merchant, own], fault) {
      recognised.delete(merchant)
      for (const item of mergeItems(own.map(itemOfLog)).values()) await keep(item, fault)
    },
  })
  const items = mergeItems([...[...recognised.values()].flat(), ...knownItems(step, tries)])

  let isNews = false
  // Everybody who locks several receipts locks them in this order.
  const ordered = [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
  const isAside = (item: SettleItem) => aside.has(keyOf(item))
  const isFresh = (item: SettleItem) =>
    item.receiptId === undefined && item.unmatchedLogs.length > 0 && !isAside(item)
  await doEachUnderWay(
    tx,
    underWay,
    ordered.filter((item) => !isFresh(item)),
    {
      nameOf: (item) => keyOf(item),
      setAside: keep,
      async alone(item) {
        if (await settleItem(needs, context, isAside(item) ? await withKept(tx, context, item) : item))
          isNews = true
        if (isAside(item)) await endItem(needs, chain, item)
      },
    },
  )
  await doEach(tx, ordered.filter(isFresh), {
    together: (all) =>
      recordUnmatchedLogs(
        needs,
        chain,
        all.flatMap(({ unmatchedLogs }) => unmatchedLogs),
      ),
    alone: ({ unmatchedLogs }) => recordUnmatchedLogs(needs, chain, unmatchedLogs),
    setAside: keep,
  })
  return { isNews }
}

/** Sets aside what belongs to merchants whose machine is away, and answers what is left. */
async function leaveAway(
  { tx, places }: Needs,
  given: StepNews,
  keep: (item: SettleItem, fault: unknown) => Promise<void>,
): Promise<StepNews> {
  const away = await places?.awayOf(merchantsOf(given), tx)
  if (!away?.size) return given
  const isAway = ({ merchant }: { readonly merchant: string }) => away.has(merchant)
  const isThere = (each: { readonly merchant: string }) => !isAway(each)
  const those = (isTaken: typeof isAway): StepNews => ({
    found: given.found.filter(isTaken),
    lost: given.lost.filter(isTaken),
    looks: given.looks.filter(isTaken),
  })
  const left = those(isAway)
  const items = mergeItems([...left.found.map(itemOfLog), ...knownItems(left, [])])
  for (const item of items.values()) await keep(item, machineAway())
  return those(isThere)
}

function merchantsOf({ found, lost, looks }: StepNews): string[] {
  return [...new Set([...found, ...lost, ...looks].map(({ merchant }) => merchant))]
}

/** The items that a step names by themselves. */
function knownItems(
  { lost, looks }: StepNews,
  tries: readonly Pick<ItemName, 'merchant' | 'item'>[],
): SettleItem[] {
  return [
    ...lost.map(({ merchant, receiptId, keys }) => itemOfReceipt({ merchant, receiptId }, { lost: keys })),
    ...looks.map((ref) => itemOfReceipt(ref, {})),
    ...tries.map(({ merchant, item }) => itemNamed(merchant as Wallet, item)),
  ]
}

/** With what was kept for it, which may be in the books by now, there or elsewhere. */
async function withKept(tx: Database, context: SettleContext, item: SettleItem): Promise<SettleItem> {
  const { chain } = context
  const kept = await listKeptNews(tx, chain, item)
  const found = kept.flatMap((each) => (each.kind === 'orphaned' ? [] : [each.content]))
  const lost = kept.flatMap((each) => (each.kind === 'orphaned' ? [each.content] : []))
  const lostNow = await loseKept(tx, context, item.merchant, { lost, found })
  const recognised = await recogniseFound(tx, chain, found)
  return addKept(item, sortIntoItems(recognised), [...lost, ...lostNow])
}

async function settleItem(needs: Needs, context: SettleContext, item: SettleItem): Promise<boolean> {
  const { chain } = context
  await recordUnmatchedLogs(needs, chain, item.unmatchedLogs)
  await returnCases(needs, chain, item.cases)
  let isNews = false
  for (const { ref, changes } of item.settles) {
    const settled = await settleReceipt(needs, context, ref, changes)
    isNews ||= settled.isNews
  }
  return isNews
}

async function endItem(needs: Needs, chain: number, item: SettleItem): Promise<void> {
  await dropKeptNews(needs.tx, chain, item)
  const name = { job: jobNames.scanTransfers, merchant: item.merchant, item: item.item }
  await endSetAside({ db: needs.tx, log: needs.log }, name)
}
