import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { doEach } from '../platform/savepoint.ts'
import { endSetAside, findAside, keyOf, setAside } from '../platform/set-aside.ts'
import type { SetAsideItem } from '../platform/set-aside-store.ts'
import type { Finding, Stray } from './match-transfer.ts'
import { recordStrays } from './record-strays.ts'
import { dropKeptNews, type KeptNews, keepNews, listKeptNews } from './set-aside-news-store.ts'
import { type ChainNews, type SettleContext, settleReceipt } from './settle-receipt.ts'
import type { ReceiptRef } from './watch-store.ts'

/** What items that could not be settled are listed under, whichever watcher came upon them. */
export const scanTransfersName = 'scan-transfers'

/** What a step brought: news of receipts, and money that no receipt explains. */
export type StepNews = {
  readonly receipts: readonly { readonly ref: ReceiptRef; readonly news: ChainNews }[]
  readonly strays: readonly Stray[]
}

type Needs = { tx: Database; clock: Clock; random: Random; log: Log }

/** A receipt, or one piece of money without a receipt; each is settled alone. */
type Item = {
  readonly merchant: Wallet
  readonly item: string
  readonly receiptId: ReceiptId | undefined
  readonly news: readonly KeptNews[]
}

/**
 * Settles receipts and money without one, each alone, in the transaction that moves the watcher's cursor: what
 * cannot be settled is set aside with all that was found for it, and tried again with a later step.
 *
 * @returns whether somebody has to be told.
 */
export async function settleEach(
  needs: Needs,
  context: SettleContext,
  step: StepNews,
): Promise<{ isNews: boolean }> {
  const { tx, clock } = needs
  const { chain } = context
  const aside = await findAside(tx, scanTransfersName)
  const items = new Map<string, Item>()
  const add = (item: Item) => {
    const known = items.get(keyOf(item))
    items.set(keyOf(item), known ? { ...known, news: [...known.news, ...item.news] } : item)
  }
  for (const { merchant, item } of [...aside.values()].filter(({ nextTry }) => nextTry <= clock.now()))
    add({ merchant: merchant as Wallet, item, receiptId: receiptOf(item), news: [] })
  for (const { ref, news } of step.receipts) add(receiptItem(ref, news))

  let isNews = false
  // Everybody who locks several receipts locks them in this order.
  const ordered = [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
  const keep = async (item: Item, fault: unknown) => {
    await keepNews(tx, chain, item, item.news)
    await setAside({ ...needs, db: tx }, { job: scanTransfersName, ...nameOf(item) }, fault)
  }
  await doEach(tx, ordered, {
    setAside: keep,
    async alone(item) {
      const isAside = aside.has(keyOf(item))
      if (await settleItem(needs, context, item, isAside)) isNews = true
      if (isAside) await endItem(needs, chain, item)
    },
  })
  await doEach(tx, withoutRepeats(step.strays), {
    together: (strays) => recordStrays(needs, chain, strays),
    alone: (stray) => recordStrays(needs, chain, [stray]),
    setAside: (stray, fault) => keep(strayItem(stray), fault),
  })
  return { isNews }
}

/** The same money read twice is one piece of money. */
function withoutRepeats(strays: readonly Stray[]): Stray[] {
  return [...new Map(strays.map((stray) => [keyOf(strayItem(stray)), stray])).values()]
}

/** Whether an item waits whose next try has come. */
export function isTryDue(aside: ReadonlyMap<string, SetAsideItem>, now: number): boolean {
  return [...aside.values()].some(({ nextTry }) => nextTry <= now)
}

async function settleItem(
  needs: Needs,
  context: SettleContext,
  { merchant, item, receiptId, news }: Item,
  isAside: boolean,
): Promise<boolean> {
  const kept = isAside ? await listKeptNews(needs.tx, context.chain, { merchant, item }) : []
  const all = [...kept, ...news]
  const strays = all.flatMap((each) => (each.kind === 'unmatched' ? [each.content] : []))
  await recordStrays(needs, context.chain, strays)
  if (receiptId === undefined) return false
  const findings: Finding[] = all.flatMap((each) => (each.kind === 'finding' ? [each.content] : []))
  const orphaned = all.flatMap((each) => (each.kind === 'orphaned' ? [each.content] : []))
  const settled = await settleReceipt(needs, context, { merchant, receiptId }, { findings, orphaned })
  return settled.isNews
}

async function endItem(needs: Needs, chain: number, item: Item): Promise<void> {
  await dropKeptNews(needs.tx, chain, item)
  await endSetAside({ db: needs.tx, log: needs.log }, { job: scanTransfersName, ...nameOf(item) })
}

function nameOf({ merchant, item }: Item) {
  return { merchant, item }
}

const receiptPrefix = 'receipt '

function receiptItem({ merchant, receiptId }: ReceiptRef, { findings = [], orphaned = [] }: ChainNews): Item {
  return {
    merchant,
    item: `${receiptPrefix}${receiptId}`,
    receiptId,
    news: [
      ...findings.map((content) => ({ kind: 'finding', content }) as const),
      ...orphaned.map((key) => ({ kind: 'orphaned', content: { blockNumber: 0n, ...key } }) as const),
    ],
  }
}

function strayItem(stray: Stray): Item {
  const { merchant, txHash, logIndex, address } = stray
  return {
    merchant,
    item: `payment ${txHash}/${logIndex}/${address}`,
    receiptId: undefined,
    news: [{ kind: 'unmatched', content: stray }],
  }
}

function receiptOf(item: string): ReceiptId | undefined {
  return item.startsWith(receiptPrefix) ? (item.slice(receiptPrefix.length) as ReceiptId) : undefined
}
