import type { UnixMs } from '@sluice/protocol/time.ts'
import type { BlockHeader } from '../chain/chain.ts'
import type { Database } from '../platform/database.ts'
import { notifyJob } from '../platform/notify.ts'
import { findRate } from '../pricing/find-rate.ts'
import { findSplitOwners } from '../split/store.ts'
import { type Cursor, holdCursor, moveCursor, saveBlocks } from './cursor-store.ts'
import type { FinalityTags } from './finality.ts'
import { isStillUnexplained, type NoticedCoin } from './find-unexplained-coin.ts'
import type { FoundLog } from './known-log.ts'
import { returnLog } from './known-log-store.ts'
import { type Finding, groupByReceipt, type Known, matchTransfer, type Stray } from './match-transfer.ts'
import { type ReturnedLog, recogniseFound } from './recognise-found.ts'
import type { LateRates } from './record-findings.ts'
import { OvertakenError, type ScanNeeds, watcherName } from './scan-needs.ts'
import { type ChainNews, type SettleContext, settleReceipt } from './settle-receipt.ts'
import { type LostPayment, takeBackAbove } from './take-back.ts'
import { findTargetsByReference, listExpiredReceipts, type Target } from './targets.ts'
import type { Transfer } from './transfer.ts'
import { recordUnmatched } from './unmatched.ts'
import {
  type CoinMove,
  forgetPlaces,
  listDueReceipts,
  type ReceiptRef,
  saveCoinMoves,
  savePlaces,
} from './watch-store.ts'

/** One step of a watcher along the chain, and what was read on the way. */
export type Step = {
  readonly watcher: string
  readonly from: Cursor
  readonly to: Cursor
  /** Where the watcher's blocks part from those of the chain, if they do: what stood above is taken back. */
  readonly fork?: Cursor | undefined
  /** The blocks gone over, to be remembered; none where the step only looks again. */
  readonly blocks: readonly BlockHeader[]
  readonly tags: FinalityTags
  /** Time of the last block whose transfers are all known once the step is done. */
  readonly coveredTo: UnixMs
  readonly targets: readonly Target[]
  readonly transfers: readonly Transfer[]
  readonly coin: readonly CoinMove[]
  /** Coin among them that only balances showed. */
  readonly noticed?: NoticedCoin
  /** Where the watcher of every block stood when another one looked: the block its balances were read at. */
  readonly readAt?: Cursor
}

const receiptsPerStep = 200

/**
 * Does a step in one transaction: cursor, blocks, payments, statuses and the webhooks owed for them. All of
 * it or nothing, so that a crash at any moment is cured by doing it again.
 *
 * @returns whether more receipts wait than one step takes.
 * @throws {OvertakenError} where another process has done it.
 */
export async function applyStep(needs: ScanNeeds, step: Step): Promise<'again' | 'done'> {
  const { db, chain } = needs
  const { findings, strays } = await sortOut(needs, step)
  const lateRates = await readLateRates(needs, findings)
  const context: SettleContext = {
    chain: chain.id,
    tags: step.tags,
    coveredTo: step.coveredTo,
    policy: needs.policy,
    lateRates,
  }
  const outcome = await db.transaction(async (tx) => {
    const now = needs.clock.now()
    // Whoever notes coin holds this row, so that the books cannot change between the comparison and the credit.
    if (step.readAt && !(await holdCursor(tx, chain.id, watcherName, step.readAt))) throw new OvertakenError()
    if (!(await moveCursor(tx, chain.id, step.watcher, step.from, step.to, now))) throw new OvertakenError()
    const lost = step.fork && (await takeBackAbove(tx, chain.id, step.fork, step.blocks))
    if (step.noticed && !(await isStillUnexplained(tx, chain.id, step.noticed))) throw new OvertakenError()
    if (step.blocks.length > 0) {
      await saveBlocks(tx, chain.id, step.blocks, step.tags.final)
      await forgetPlaces(tx, chain.id, step.tags.final)
    }
    await saveCoinMoves(tx, chain.id, step.coin)
    const money = await recogniseFound(tx, chain.id, [...findings, ...strays])
    const settled = await settleAll(needs, tx, context, money, lost ?? [])
    await recordStrays(needs, tx, money.fresh.filter(isStray), now)
    const cases = money.returned.filter(({ was }) => was.receiptId === undefined)
    for (const { was, found } of cases) await returnLog(tx, chain.id, was, found)
    await placeStrays(
      tx,
      chain.id,
      cases.map(({ found }) => found),
    )
    return settled
  })
  if (outcome.isNews) await nudgeAfterNews(db)
  return outcome.isFull ? 'again' : 'done'
}

/** Those who act on a payment need not wait for their interval. */
export async function nudgeAfterNews(db: Database): Promise<void> {
  await notifyJob(db, 'deliver-webhooks')
  await notifyJob(db, 'sweep-deposits')
}

type Money = { readonly fresh: readonly (Finding | Stray)[]; readonly returned: readonly ReturnedLog[] }

async function settleAll(
  needs: ScanNeeds,
  tx: Database,
  context: SettleContext,
  money: Money,
  lost: readonly LostPayment[],
): Promise<{ isNews: boolean; isFull: boolean }> {
  const { chain, tags, coveredTo } = context
  const news = new Map<string, { ref: ReceiptRef; news: ChainNews }>()
  const add = (ref: ReceiptRef, more: ChainNews) => {
    const key = `${ref.merchant} ${ref.receiptId}`
    news.set(key, { ref, news: { ...news.get(key)?.news, ...more } })
  }
  const findings = money.fresh.flatMap((log) => (isStray(log) ? [] : [log]))
  for (const group of groupByReceipt(findings)) if (group[0]) add(group[0].target, { findings: group })
  for (const { merchant, receiptId, keys } of lost) add({ merchant, receiptId }, { lost: keys })
  for (const { was, found } of money.returned) {
    const { merchant, receiptId } = was
    if (receiptId === undefined) continue
    const before = news.get(`${merchant} ${receiptId}`)?.news.returned ?? []
    add({ merchant, receiptId }, { returned: [...before, { was, found }] })
  }
  const due = await listDueReceipts(tx, chain, tags, receiptsPerStep)
  const expired = await listExpiredReceipts(tx, chain, coveredTo, receiptsPerStep)
  for (const ref of [...due, ...expired]) add(ref, {})

  let isNews = false
  // Everybody who locks several receipts locks them in this order.
  for (const [, item] of [...news].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const settled = await settleReceipt({ ...needs, tx }, context, item.ref, item.news)
    isNews ||= settled.isNews
  }
  return { isNews, isFull: due.length === receiptsPerStep || expired.length === receiptsPerStep }
}

function isStray(log: Finding | Stray): log is Stray {
  return 'reason' in log
}

async function sortOut(needs: ScanNeeds, step: Step): Promise<{ findings: Finding[]; strays: Stray[] }> {
  const { db, chain } = needs
  const calls = step.transfers.flatMap((transfer) => (transfer.kind === 'call' ? [transfer] : []))
  const byReference = await findTargetsByReference(
    db,
    chain.id,
    calls.map(({ reference }) => reference),
  )
  const owners = await findSplitOwners(
    db,
    chain.id,
    calls.map(({ splitAddress }) => splitAddress),
  )
  const known: Known = {
    byReference: new Map(byReference.map((target) => [target.reference, target])),
    byDeposit: new Map(step.targets.map((target) => [target.depositAddress, target])),
    splitOwners: new Map(owners.map(({ address, merchant }) => [address, merchant])),
    tokens: chain.tokens,
  }
  const matches = step.transfers.map((transfer) => matchTransfer(known, transfer))
  return {
    findings: matches.flatMap((match) => (match.kind === 'finding' ? [match.finding] : [])),
    strays: matches.flatMap((match) => (match.kind === 'stray' ? [match.stray] : [])),
  }
}

async function recordStrays(
  needs: ScanNeeds,
  tx: Database,
  strays: readonly Stray[],
  now: UnixMs,
): Promise<void> {
  const { id } = needs.chain
  const entries = strays.map((stray) => ({ ...stray, receiptId: stray.target?.receiptId }))
  await recordUnmatched({ ...needs, tx }, id, entries, now)
  await placeStrays(tx, id, strays)
}

async function placeStrays(tx: Database, chain: number, strays: readonly FoundLog[]): Promise<void> {
  const places = strays.map((stray) => {
    return { ...stray, receiptId: undefined, blockNumber: stray.block.number, wanted: undefined }
  })
  await savePlaces(tx, chain, places)
}

/** The rates of now, for money that came after its quote. A code without one is left out. */
async function readLateRates(needs: ScanNeeds, findings: readonly Finding[]): Promise<LateRates> {
  const late = findings.filter(({ block, target }) => block.at > target.expiresAt)
  const addresses = new Set(late.map(({ tokenAddress }) => tokenAddress))
  const rates = new Map()
  for (const { symbol, address } of needs.chain.tokens) {
    if (!addresses.has(address)) continue
    const rate = await findRate({ rates: needs.rates }, symbol)
    if (rate) rates.set(symbol, rate.usdPerUnit)
  }
  return rates
}
