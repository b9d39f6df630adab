import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData } from 'viem'
import type { Hex } from '../../chain/chain.ts'
import { findPaused } from '../../chain/transactions/find-paused.ts'
import { type NonceLease, withNonces } from '../../chain/transactions/nonce-lease.ts'
import type { TransactionNeeds } from '../../chain/transactions/send.ts'
import { listOutgoingSince } from '../../chain/transactions/store.ts'
import type {
  OutgoingTransaction,
  TransactionOrder,
  TransactionSender,
} from '../../chain/transactions/transaction.ts'
import { memoize } from '../../kernel/turns/memoize.ts'
import { defer, endDeferral, findDeferred, keyOf as nameKeyOf, walkItems } from '../../platform/jobs/defer.ts'
import { ItemError } from '../../platform/jobs/item-error.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import { findDistributionCursor } from '../../split/ledger/cursor-store.ts'
import { listLedgersBehind } from '../../split/ledger/ledger-behind-store.ts'
import {
  batchSweeps,
  chooseSweeps,
  findWorth,
  readSweepCosts,
  type SweepBatch,
  type SweepCosts,
} from './choose-sweeps.ts'
import { readSweepable, sweepData } from './read-sweepable.ts'
import { listSweepTargets, markSwept, receiptKey, type UnsweptDeposit, walkUnswept } from './store.ts'
import { pruneWaiting, recordWaiting } from './waiting-store.ts'

/**
 * A payment this many blocks below the ledger, with neither balance nor sweep, was never at the deposit
 * address.
 */
const oldAfterBlocks = 10_000n

export type Sweep = { readonly split: Wallet; readonly reference: Hex; readonly token: Wallet }

/** Only the factory that created a deposit address can sweep it. */
type PlacedSweep = Sweep & { readonly factory: Wallet }

export type WaitingSweep = PlacedSweep & { readonly amount: bigint; readonly deposit: UnsweptDeposit }

export type SweepNeeds = TransactionNeeds & { readonly rates: RateBook }

/**
 * Returns the job that sweeps deposits into splits, if a sweep is worth its gas.
 *
 * It reads each balance before it sends a sweep, and records sweeps from final blocks only. A round after a
 * crash therefore never sweeps an empty address. Without a keeper, it only records sweeps by others.
 */
export function sweepDepositsJob(
  needs: SweepNeeds,
  keeper: TransactionSender | undefined,
  holder: string,
): Job {
  const { chain } = needs
  return {
    name: jobNames.sweepDeposits,
    everyMs: isLocalNetwork(chain.id) ? 2_000 : 10_000,
    async run() {
      const readCosts = memoize(() => readSweepCosts(needs))
      for await (const deposits of walkUnswept(needs)) {
        if (deposits.length === 0) continue
        const waiting = await findWaiting(needs, deposits)
        const choose = () => (chain.isGasFree ? waiting : chooseReady(needs, waiting, readCosts))
        const ready = keeper ? await choose() : []
        await recordWorth(needs, deposits, waiting, ready)
        if (keeper && ready.length > 0) await sweep(needs, keeper, holder, ready)
      }
      return 'done'
    },
  }
}

async function chooseReady(
  needs: SweepNeeds,
  waiting: readonly WaitingSweep[],
  readCosts: () => Promise<SweepCosts>,
): Promise<WaitingSweep[]> {
  if (waiting.length === 0) return []
  const now = needs.clock.now()
  const costs = await readCosts()
  const priced = await Promise.all(
    waiting.map(async (each) => ({
      sweep: each,
      worth: await findWorth(needs, each.token, each.amount),
      waitedMs: now - (each.deposit.waitingSince ?? now),
    })),
  )
  return chooseSweeps(priced, costs).map((chosen) => chosen.sweep)
}

async function recordWorth(
  needs: SweepNeeds,
  deposits: readonly UnsweptDeposit[],
  waiting: readonly WaitingSweep[],
  ready: readonly WaitingSweep[],
): Promise<void> {
  const { db, chain, clock, log } = needs
  await walkItems(needs, deposits, {
    job: jobNames.sweepDeposits,
    nameOf: named('waiting deposits'),
    async work(deposit) {
      const left = waiting.filter((each) => each.deposit === deposit && !ready.includes(each))
      if (left.length === 0) {
        if (deposit.waitingSince !== undefined) await pruneWaiting(db, chain.id, deposit)
        return
      }
      const amount = left.reduce((sum, each) => sum + each.amount, 0n)
      const isNew = await recordWaiting(db, chain.id, deposit, amount, clock.now())
      const { merchant, receiptId, token } = deposit
      const fields = { merchant, receiptId, token, amount: amount.toString() }
      if (isNew) log.info(fields, 'a deposit is waiting to be swept')
    },
  })
}

async function sweep(
  needs: SweepNeeds,
  keeper: TransactionSender,
  holder: string,
  ready: readonly WaitingSweep[],
): Promise<void> {
  await withNonces(needs, keeper, `${holder}:${jobNames.sweepDeposits}`, async (nonces) => {
    // Checked again under the lease: the previous holder may have sent these sweeps.
    const still = await findWaiting(needs, [...new Set(ready.map(({ deposit }) => deposit))])
    const keys = new Set(still.map(keyOf))
    const deferred = await findDeferred(needs.db, jobNames.sweepDeposits)
    const now = needs.clock.now()
    const left = ready.filter((each) => {
      const known = deferred.get(nameKeyOf(nameOf(each)))
      return keys.has(keyOf(each)) && !(known && known.nextTry > now)
    })
    for (const { factory, batch } of batchSweeps(left)) {
      if ((await sendSweeps(needs, nonces, { factory, batch }, deferred)) === 'over') return
    }
  })
}

/** Sends a batch. A batch that would revert is halved until the failing sweeps are isolated and deferred. */
async function sendSweeps(
  needs: SweepNeeds,
  nonces: NonceLease,
  { factory, batch }: SweepBatch<WaitingSweep>,
  deferred: ReadonlyMap<string, unknown>,
): Promise<'sent' | 'over'> {
  const outcome = await nonces.send(sweepOrder(factory, batch))
  if (outcome.kind !== 'sent' && outcome.kind !== 'would-revert') return 'over'
  if (outcome.kind === 'sent') {
    for (const each of batch)
      if (deferred.has(nameKeyOf(nameOf(each))))
        await endDeferral(needs, { job: jobNames.sweepDeposits, ...nameOf(each) })
    return 'sent'
  }
  const [only] = batch
  if (batch.length === 1 && only) {
    const error = new ItemError('would-revert', `the factory would reject it: ${outcome.data}`)
    await defer(needs, { job: jobNames.sweepDeposits, ...nameOf(only) }, error)
    return 'sent'
  }
  const half = batch.length >> 1
  const first = await sendSweeps(needs, nonces, { factory, batch: batch.slice(0, half) }, deferred)
  return first === 'over' ? first : sendSweeps(needs, nonces, { factory, batch: batch.slice(half) }, deferred)
}

function named(what: string) {
  return ({ merchant, receiptId, token }: UnsweptDeposit) => {
    return { merchant, item: `${what} of ${receiptId} in ${token}` }
  }
}

function nameOf(sweep: WaitingSweep) {
  return { merchant: sweep.deposit.merchant, item: `sweep ${keyOf(sweep)}` }
}

export function sweepOrder(factory: Wallet, sweeps: readonly Sweep[]): TransactionOrder {
  return {
    kind: 'sweep',
    detail: { sweeps: sweeps.map(keyOf) },
    to: factory,
    data: encodeFunctionData({
      abi: splitFactoryAbi,
      functionName: 'sweepMany',
      args: [sweeps.map(({ split, reference: ref, token }) => ({ split, ref, token }))],
    }),
  }
}

/** Returns sweeps that would move money and are not pending. Marks empty deposits as swept. */
export async function findWaiting(
  needs: TransactionNeeds,
  asks: readonly UnsweptDeposit[],
): Promise<WaitingSweep[]> {
  const { db, chain } = needs
  const booked = (await findDistributionCursor(db, chain.id))?.number
  const sent = await listOutgoingSince(db, chain.id, 'sweep', booked ?? 0n)
  const keysOf = ({ detail }: OutgoingTransaction) => detail.sweeps as string[]
  const paused = await findPaused(needs, 'sweep', keysOf)
  const onTheirWay = new Set([...sent.flatMap(keysOf), ...paused])
  const targets = await listSweepTargets(db, asks)
  const asked: (PlacedSweep & { readonly deposit: UnsweptDeposit; readonly data: Hex })[] = []
  const looked: UnsweptDeposit[] = []
  await walkItems(needs, asks, {
    job: jobNames.sweepDeposits,
    nameOf: named('deposits'),
    async work(deposit) {
      for (const { split, reference, factory } of targets.get(receiptKey(deposit)) ?? []) {
        const sweep = { split, reference, factory, token: deposit.token }
        asked.push({ ...sweep, deposit, data: sweepData(sweep) })
      }
      looked.push(deposit)
    },
  })
  const amounts = await readSweepable(
    chain,
    asked.map((each) => (onTheirWay.has(keyOf(each)) ? undefined : each)),
  )
  const waiting = asked.flatMap(({ data: _, ...each }, i) => {
    const amount = amounts[i]
    return typeof amount === 'bigint' && amount > 0n ? [{ ...each, amount }] : []
  })
  const behind = await listLedgersBehind(db, chain.id)
  await walkItems(needs, looked, {
    job: jobNames.sweepDeposits,
    nameOf: named('money'),
    async work(deposit) {
      const own = amounts.filter((_, i) => asked[i]?.deposit === deposit)
      const to = behind.get(deposit.merchant) ?? booked
      if (to !== undefined && own.every((amount) => amount === 0n))
        await markSwept(db, chain.id, deposit, to - oldAfterBlocks)
      if (own.includes('refused'))
        throw new ItemError('token-refuses', 'the token or the factory rejects the sweep')
    },
  })
  return waiting
}

function keyOf({ split, reference, token }: Sweep): string {
  return `${split}/${reference}/${token}`
}
