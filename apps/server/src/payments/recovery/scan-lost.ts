import type { Cents, RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { readAmounts } from '../../chain/read-amounts.ts'
import { assert } from '../../kernel/assert.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Database } from '../../platform/database/database.ts'
import { cursorNames, jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { StateLog } from '../../platform/state-log.ts'
import { lockDistributionCursor } from '../../split/ledger/cursor-store.ts'
import { findSplitOwners, listSplitAddresses, type SplitOwner } from '../../split/store.ts'
import { type Attempt, hotForMs, lostReceiptId, watchForMs } from '../attempts/attempt.ts'
import {
  type DepositReferences,
  depositAddress,
  firstNumberOf,
  numbersPerSecond,
} from '../attempts/references.ts'
import { closeAttempts, insertAttempt } from '../attempts/store.ts'
import { findTargetsByDeposit, type Target } from '../attempts/targets.ts'
import { runScan, type ScanNeeds } from '../cursors/scan-needs.ts'
import { type Cursor, findCursor, moveCursor } from '../cursors/store.ts'
import { readTokens } from '../indexer/scan-old.ts'
import { recogniseFound } from '../ledger/known-log-store.ts'
import { matchTransfer, type UnmatchedLog } from '../ledger/match-transfer.ts'
import { readExpectedNative, saveNativeMoves } from '../ledger/place-store.ts'
import type { Transfer } from '../ledger/transfer.ts'
import { recordUnmatchedLogs } from '../settlement/record-unmatched-logs.ts'
import {
  findDueLostTime,
  findPromotion,
  type LostTime,
  listLastSweeps,
  markFound,
  moveLook,
  noteLostTime,
  notePromotion,
} from './lost-time-store.ts'

const everyMs = 3_600_000
const addressesPerPage = 100
/** Maximum number of pages per scan. Covers six minutes of one split, or a day at one number per second. */
const pagesPerLook = 1_000
const triesAtMost = 20

type Needs = ScanNeeds & { readonly references: DepositReferences }

/**
 * Returns the job that finds funded deposit addresses that a restored database has lost.
 *
 * References derive from the recovery seed, the split and a number that encodes the time. Recovered money
 * becomes an unmatched payment, and the address is watched again.
 */
export function makeScanLostJob(needs: Needs): Job {
  const states = new StateLog(needs.log)
  let seen: { readonly cursor: Cursor | undefined; readonly promotedAt: UnixMs | undefined } | undefined
  return {
    name: jobNames.scanLost,
    everyMs: 15_000,
    run: (signal) =>
      runScan(states, async () => {
        const cursor = await findCursor(needs.db, needs.chain.id, cursorNames.transfers)
        const promotedAt = await findPromotion(needs.db)
        if (seen && promotedAt !== undefined && promotedAt !== seen.promotedAt)
          await notePromotion(needs, promotedAt)
        else if (seen?.cursor && cursor && cursor.number < seen.cursor.number)
          await noteLostTime(needs, { fromAt: cursor.at, fromBlock: cursor.number })
        seen = { cursor, promotedAt }
        return scanLost(needs, signal)
      }),
  }
}

/**
 * Scans a lost period: the first number of every second and split, then the second number, and so on.
 *
 * A scan that exceeds the page limit continues an hour later. The scan repeats hourly after a finding, and
 * less often over time without one.
 */
async function scanLost(needs: Needs, signal: AbortSignal): Promise<'again' | 'done'> {
  const { db, chain, clock } = needs
  const lost = await findDueLostTime(db, chain.id, clock.now())
  if (!lost) return 'done'
  const read = await findCursor(db, chain.id, cursorNames.transfers)
  const { final } = await chain.readHead()
  if (!read) return 'done'
  const at = final.number < read.number ? final.number : read.number
  const taken = { ...lost, lookAt: addMs(clock.now(), everyMs) }
  if (!(await moveLook(db, chain.id, lost, taken))) return 'again'

  const splits = await findSplitOwners(db, chain.id, await listSplitAddresses(db, chain.id))
  const count = countPlaces(lost, splits)
  let place = lost.nextPlace
  let isFound = lost.foundAt !== undefined
  for (let page = 0; page < pagesPerLook && place < count && !signal.aborted; page++) {
    const candidates = listCandidates(needs, lost, splits, place)
    for (const candidate of await listUnknown(needs, candidates, at)) {
      await restoreDeposit(needs, lost, candidate)
      isFound = true
    }
    place += BigInt(addressesPerPage)
  }
  if (place < count) {
    await moveLook(db, chain.id, taken, { nextPlace: place, lookAt: taken.lookAt })
    return 'again'
  }
  const pauseMs = isFound ? everyMs : Math.max(everyMs, clock.now() - lost.noticedAt)
  await moveLook(db, chain.id, taken, { nextPlace: 0n, lookAt: addMs(clock.now(), pauseMs) })
  return 'again'
}

type Candidate = {
  readonly owner: SplitOwner
  readonly number: bigint
  readonly reference: Hex
  readonly address: Wallet
}

function countSeconds({ fromAt, toAt }: LostTime): bigint {
  return BigInt(Math.floor(toAt / 1_000) - Math.floor(fromAt / 1_000) + 1)
}

function countPlaces(lost: LostTime, splits: readonly SplitOwner[]): bigint {
  return countSeconds(lost) * BigInt(splits.length) * numbersPerSecond
}

function listCandidates(
  { chain, references }: Needs,
  lost: LostTime,
  splits: readonly SplitOwner[],
  from: bigint,
): Candidate[] {
  const [perSecond, perTurn] = [BigInt(splits.length), countSeconds(lost) * BigInt(splits.length)]
  const candidates: Candidate[] = []
  for (let place = from; place < from + BigInt(addressesPerPage); place++) {
    if (place >= countPlaces(lost, splits)) break
    const second = (place % perTurn) / perSecond
    const owner = splits[Number(place % perSecond)]
    assert(owner, 'a deposit location has a split')
    const number = firstNumberOf(lost.fromAt) + second * numbersPerSecond + place / perTurn
    const reference = references.at(owner.address, number)
    const address = depositAddress(chain.factory, owner.address, reference)
    candidates.push({ owner, number, reference, address })
  }
  return candidates
}

async function listUnknown(
  { db, chain }: Needs,
  candidates: readonly Candidate[],
  at: bigint,
): Promise<Candidate[]> {
  const asked = candidates.flatMap(({ address }) =>
    chain.tokens.map((token) => ({ owner: address, token: token.address })),
  )
  const amounts = await readAmounts(chain, asked, at)
  const funded = new Set(asked.flatMap(({ owner }, i) => ((amounts[i] ?? 0n) > 0n ? [owner] : [])))
  const known = await findTargetsByDeposit(db, chain.id, [...funded])
  for (const { depositAddress: address } of known) funded.delete(address)
  return candidates.filter(({ address }) => funded.has(address))
}

/**
 * Restores a deposit address as an attempt for a lost receipt, with its transfers since the last sweep.
 *
 * The watcher detects native coin from the balance.
 */
async function restoreDeposit(needs: Needs, lost: LostTime, candidate: Candidate): Promise<void> {
  const { db, chain, clock, log } = needs
  const { owner, reference, address } = candidate
  const attempt = makeLostAttempt(needs, lost, candidate)
  const target: Target = {
    ...attempt,
    attemptId: attempt.id,
    tokenAddress: attempt.token.address,
  }
  const transfers: Transfer[] = []
  let readTo = lost.fromBlock
  for (let tries = 0; tries < triesAtMost; tries++) {
    const read = await findCursor(db, chain.id, cursorNames.transfers)
    assert(read, 'the chain has been read')
    transfers.push(...(await readTokens(needs, [target], { from: readTo + 1n, to: read.number })))
    readTo = read.number
    const isDone = await db.transaction(async (tx) => {
      // Locks both cursors: later blocks are left to the watcher and the ledger.
      if (!(await moveCursor(tx, chain.id, cursorNames.transfers, read, read, clock.now()))) return false
      await lockDistributionCursor(tx, chain.id)
      if (!(await insertAttempt(tx, attempt))) return true
      await closeAttempts(tx, [attempt], clock.now())
      await forgetNativeSweeps(tx, chain.id, address, read.number)
      const swept = await listLastSweeps(tx, chain.id, { merchant: owner.merchant, reference })
      const left = transfers.filter(({ tokenAddress, block, logIndex }) => {
        const sweep = swept.get(tokenAddress)
        if (!sweep || block.number > sweep.blockNumber) return true
        return block.number === sweep.blockNumber && BigInt(logIndex) > sweep.logIndex
      })
      const { fresh } = await recogniseFound(tx, chain.id, matchAll(needs, target, left))
      await recordUnmatchedLogs({ ...needs, tx }, chain.id, fresh)
      await markFound(tx, chain.id, lost, clock.now())
      return true
    })
    if (!isDone) continue
    const fields = { merchant: owner.merchant, address, handedOutAt: attempt.createdAt }
    log.error(
      { alert: 'database-is-older', ...fields },
      'money was found at a deposit address that was missing from this database: the database is older than the chain',
    )
    return
  }
}

function matchAll({ chain }: Needs, target: Target, transfers: readonly Transfer[]): UnmatchedLog[] {
  const byDeposit = new Map([[target.depositAddress as string, target]])
  const known = { byReference: new Map(), byDeposit, splitOwners: new Map(), tokens: chain.tokens }
  return transfers.flatMap((transfer) => {
    const match = matchTransfer(known, transfer)
    return match.kind === 'unmatched' ? [match.unmatchedLog] : []
  })
}

/** Offsets recorded sweeps of native coin whose deposits were lost, so that the balance alone counts. */
async function forgetNativeSweeps(
  tx: Database,
  chain: number,
  address: Wallet,
  block: bigint,
): Promise<void> {
  const { total = 0n } = (await readExpectedNative(tx, chain, [address], block)).get(address) ?? {}
  const txHash: Hex = `0x${'0'.repeat(64)}`
  const move = { txHash, logIndex: -1, depositAddress: address, amount: -total, blockNumber: block }
  if (total !== 0n) await saveNativeMoves(tx, chain, [move])
}

function makeLostAttempt({ chain, clock, random }: Needs, lost: LostTime, candidate: Candidate): Attempt {
  const { owner, number, reference, address } = candidate
  const token = chain.tokens.find((each) => each.address === nativeAddress)
  assert(token, 'every chain has a native token')
  const createdAt = (Number(number / numbersPerSecond) * 1_000) as UnixMs
  return {
    merchant: owner.merchant,
    id: generateId(clock.now(), random),
    receiptId: lostReceiptId(address),
    chain: chain.id,
    token,
    totalCents: 0n as Cents,
    dueCents: 0n as Cents,
    amount: 0n as TokenUnits,
    rate: 0n as RateE8,
    quote: { quotedAt: createdAt, provider: 'none', inputs: [] },
    reference,
    number,
    depositAddress: address,
    factory: chain.factory,
    splitAddress: owner.address,
    splitVersion: owner.version,
    payer: undefined,
    provider: undefined,
    openedBlock: lost.fromBlock,
    createdAt,
    expiresAt: addMs(clock.now(), watchForMs - hotForMs),
    askedAt: undefined,
    closedAt: undefined,
  }
}
