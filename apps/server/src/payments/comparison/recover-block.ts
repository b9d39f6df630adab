import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { getAddress } from 'viem'
import type { BlockHeader, ChainHead, ChainLog } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { listFactories } from '../../chain/factory-store.ts'
import { logsOf } from '../../chain/rpc/read-receipts.ts'
import type { Database } from '../../platform/database/database.ts'
import { isDatastoreOutage } from '../../platform/database/degraded.ts'
import type { StateLog } from '../../platform/state-log.ts'
import { findSplitVersion } from '../../split/find-split.ts'
import { lockDistributionCursor } from '../../split/ledger/cursor-store.ts'
import { decodeEvents } from '../../split/ledger/decode-events.ts'
import { rebook } from '../../split/ledger/record-distribution.ts'
import type { BookedEvent } from '../../split/split-event.ts'
import { findSplitOwners, type SplitOwner } from '../../split/store.ts'
import { findTargetsByDeposit, findTargetsByReference } from '../attempts/targets.ts'
import { OvertakenError, type ScanNeeds } from '../cursors/scan-needs.ts'
import type { Cursor } from '../cursors/store.ts'
import { findReferences, insertBookedBlocks } from '../distributions/store.ts'
import { applyStep } from '../indexer/apply-step.ts'
import { saveNativeMoves } from '../ledger/place-store.ts'
import { readNativeSweep, readPaymentLog, readTransferLog } from '../ledger/transfer.ts'
import { queueReconcile } from '../reconciliation/store.ts'
import { recordDirectPayments } from '../settlement/record-unmatched-logs.ts'
import { findUnbooked, findUnbookedEvents, listReceiptsSettledBy } from './store.ts'

export type Recovery = {
  readonly name: string
  readonly cursor: Cursor
  readonly head: ChainHead
  readonly states: StateLog
}

/**
 * Reads every transaction receipt of a final block and records missing payments and split events. Safe to
 * repeat.
 *
 * @returns the hashes of the transactions that were missing.
 */
export async function recoverBlock(needs: ScanNeeds, recovery: Recovery, number: bigint): Promise<string[]> {
  const whole = await needs.chain.readReceipts(number)
  const logs = logsOf(whole)
  const payments = await recoverPayments(needs, recovery, whole.block, logs)
  const events = await recoverEvents(needs, whole.block, logs)
  const found = [...new Set([...payments, ...events])]
  for (const transactionHash of found)
    needs.log.error(
      { alert: 'log-left-out', transactionHash, blockNumber: number.toString() },
      'an endpoint had omitted the log of a payment; the payment is now recorded',
    )
  return found
}

async function recoverPayments(
  needs: ScanNeeds,
  recovery: Recovery,
  block: BlockHeader,
  logs: readonly ChainLog[],
): Promise<string[]> {
  const { db, chain } = needs
  const { name, cursor, head } = recovery
  const place = { number: block.number, hash: block.hash, at: block.at }
  const tokens = new Set(chain.tokens.map(({ address }) => address))
  const calls = logs.flatMap((log) => readPaymentLog(log, place) ?? [])
  const references = calls.flatMap((call) => (call.kind === 'call' ? [call.reference] : []))
  const owners = await findSplitOwners(db, chain.id, [...new Set(logs.map(({ address }) => address))])
  const transfers = logs.flatMap((log) =>
    tokens.has(log.address) ? (readTransferLog(log, place) ?? []) : [],
  )
  const reached = transfers.flatMap((each) => (each.kind === 'transfer' ? [each.depositAddress] : []))
  const targets = await findTargetsByDeposit(db, chain.id, [...new Set(reached)])
  const byReference = await findTargetsByReference(db, chain.id, references)

  const candidates = [...calls, ...transfers].flatMap((transfer) => {
    const { txHash, logIndex } = transfer
    const target =
      transfer.kind === 'call'
        ? byReference.find(({ reference }) => reference === transfer.reference)
        : targets.find(({ depositAddress }) => depositAddress === transfer.depositAddress)
    const split =
      transfer.kind === 'call' ? owners.find(({ address }) => address === transfer.splitAddress) : undefined
    const merchant = split?.merchant ?? target?.merchant
    return merchant
      ? [{ merchant, txHash, logIndex, transfer, owner: `${merchant} ${target?.receiptId}` }]
      : []
  })
  const missing = await findUnbooked(db, chain.id, candidates)
  const factories = await listFactories(db, chain)
  const coin = logs.flatMap((log) => readNativeSweep(log, factories) ?? [])
  await saveNativeMoves(db, chain.id, coin)
  // Processes one receipt at a time, so that an error does not block other receipts.
  for (const own of Map.groupBy(missing, ({ owner }) => owner).values())
    await withoutErrors(recovery, { transactionHash: own[0]?.txHash }, () =>
      applyStep(needs, {
        watcher: name,
        from: cursor,
        to: cursor,
        blocks: [],
        tags: { latest: head.latest.number, safe: head.safe.number, final: head.final.number },
        coveredTo: cursor.at,
        targets,
        transfers: own.map(({ transfer }) => transfer),
        coin: [],
      }),
    )
  const left = new Set((await findUnbooked(db, chain.id, missing)).map(({ transfer }) => transfer))
  return missing.flatMap(({ txHash, transfer }) => (left.has(transfer) ? [] : [txHash]))
}

/**
 * Runs one part of the work. Reports an error once; the next comparison retries the work. Outages are
 * rethrown.
 */
export async function withoutErrors(
  { states }: Recovery,
  what: Readonly<Record<string, unknown>>,
  work: () => Promise<unknown>,
): Promise<void> {
  const about = JSON.stringify(what)
  try {
    await work()
  } catch (error) {
    const isAway = error instanceof ChainUnavailable
    if (isAway || error instanceof OvertakenError || isDatastoreOutage(error)) throw error
    const fields = { alert: 'comparison-failed', err: error, ...what }
    const message = 'a missing payment could not be recorded; retrying'
    states.say(about, String(error), 'error', fields, message)
    return
  }
  states.end(about, 'a missing payment has been recorded', what)
}

async function recoverEvents(
  needs: ScanNeeds,
  block: BlockHeader,
  logs: readonly ChainLog[],
): Promise<string[]> {
  const { db, chain } = needs
  const splits = new Set((await findSplitsIn(needs, logs)).map(({ address }) => address))
  const known = {
    factories: new Set(await listFactories(db, chain)),
    splits,
    tokens: new Set(chain.tokens.map(({ address }) => address)),
    blockTimes: new Map([[block.number, block.at]]),
  }
  const events = decodeEvents(known, logs)
  return recordEvents(needs, await findUnbookedEvents(db, chain.id, await withOwners(needs, events)))
}

export type OwnedEvent = BookedEvent & { readonly owner: SplitOwner }

export async function withOwners(
  { db, chain }: Pick<ScanNeeds, 'db' | 'chain'>,
  events: readonly BookedEvent[],
): Promise<OwnedEvent[]> {
  const owners = await findSplitOwners(db, chain.id, [...new Set(events.map(({ split }) => split))])
  const bySplit = new Map(owners.map((owner) => [owner.address, owner]))
  return events.flatMap((event) => {
    const owner = bySplit.get(event.split)
    return owner ? [{ ...event, owner }] : []
  })
}

export async function recordEvents(needs: ScanNeeds, events: readonly OwnedEvent[]): Promise<string[]> {
  const { db, chain, clock } = needs
  const references = await findReferences(
    db,
    chain.id,
    events.flatMap(({ event }) => (event.kind === 'arrived' ? (event.reference ?? []) : [])),
  )
  const groups = Map.groupBy(events, ({ split, token }) => `${split} ${token}`)
  for (const group of groups.values()) {
    const [first] = group
    if (!first) continue
    const { owner, token } = first
    const own = group.map(({ event }) => event)
    const receiptIds = new Map(
      references.flatMap(({ reference, merchant, receiptId, split }) =>
        merchant === owner.merchant && split === owner.address ? [[reference, receiptId] as const] : [],
      ),
    )
    await db.transaction(async (tx: Database) => {
      await lockDistributionCursor(tx, chain.id)
      const split = await findSplitVersion(tx, owner.merchant, owner.version)
      if (!split) return
      const now = clock.now()
      await rebook(tx, split, token, own, receiptIds, now)
      const place = { chain: chain.id, merchant: owner.merchant, split: owner.address, tokenAddress: token }
      await recordDirectPayments({ ...needs, tx }, place, own, now)
      const blocks = new Map(own.map(({ place: at }) => [at.blockNumber, at.blockHash]))
      const booked = [...blocks].map(([number, hash]) => ({ number, hash, merchant: owner.merchant }))
      await insertBookedBlocks(tx, chain.id, booked)
      const ledger = { merchant: owner.merchant, split: owner.address, token }
      const by = own.map(({ place: { transactionHash } }) => transactionHash)
      const sentOut = await listReceiptsSettledBy(tx, chain.id, ledger, by)
      const settled = [...new Set([...receiptIds.values(), ...sentOut])].map((receiptId) => ({
        merchant: owner.merchant,
        receiptId,
      }))
      await queueReconcile(tx, settled, now)
    })
  }
  return [...new Set(events.map(({ event }) => event.place.transactionHash))]
}

async function findSplitsIn({ db, chain }: ScanNeeds, logs: readonly ChainLog[]): Promise<SplitOwner[]> {
  const named = new Set<Wallet>()
  for (const { address, topics } of logs) {
    named.add(address)
    for (const topic of topics.slice(1))
      if (topic.startsWith('0x000000000000000000000000'))
        named.add(getAddress(`0x${topic.slice(26)}`) as Wallet)
  }
  named.delete(nativeAddress)
  return findSplitOwners(db, chain.id, [...named])
}
