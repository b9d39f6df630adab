import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { BlockHeader } from '../../chain/chain.ts'
import { cursorNames, jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { StateLog } from '../../platform/state-log.ts'
import { runScan, type ScanNeeds } from '../cursors/scan-needs.ts'
import { type Cursor, findCursor, moveCursor, startCursor } from '../cursors/store.ts'
import { hasUnsettled } from '../settlement/due-store.ts'
import { compareDeposits } from './compare-deposits.ts'
import { compareReleased, compareSplits } from './compare-splits.ts'
import { type Recovery, recoverBlock, withoutErrors } from './recover-block.ts'
import {
  type ComparedReceipt,
  findRound,
  listAnyReceipts,
  listAnySplits,
  listBusyReceipts,
  listBusySplits,
  listTouchedMerchants,
  type Round,
  saveRound,
} from './scope-store.ts'
import { listUnbookedCalls, recordNativeSweeps } from './store.ts'

const blocksPerRound = 1_000n
const perPage = 100

const idlePerRound = 100

/**
 * Creates the job that compares the ledger with the state of the chain at final blocks.
 *
 * An endpoint may omit a log from a list. The omission becomes visible in a split's received amount, a
 * deposit's balance, or a call without a payment. The job then reads all transaction receipts in the block.
 * Active splits and deposits are compared in every round, the others in rotation.
 */
export function compareChainJob(needs: ScanNeeds): Job {
  const states = new StateLog(needs.log)
  return {
    name: jobNames.compareChain,
    everyMs: 30_000,
    run: (signal) => runScan(states, () => compareChain(needs, states, signal)),
  }
}

async function compareChain(
  needs: ScanNeeds,
  states: StateLog,
  signal: AbortSignal,
): Promise<'again' | 'done'> {
  const { db, chain, clock } = needs
  const [read, booked] = await Promise.all([
    findCursor(db, chain.id, cursorNames.transfers),
    findCursor(db, chain.id, cursorNames.distributions),
  ])
  if (!read || !booked) return 'done'
  const cursor = await findCursor(db, chain.id, cursorNames.comparison)
  if (!cursor) {
    const first = isLocalNetwork(chain.id) ? await chain.findHeader(0n) : undefined
    await startCursor(db, chain.id, cursorNames.comparison, first ?? booked, clock.now())
    return 'again'
  }
  const top = read.number < booked.number ? read.number : booked.number
  const most = cursor.number + blocksPerRound
  const to = top < most ? top : most
  if (to < cursor.number) return goBack(needs, cursor, to)
  // A payment that is found and not settled yet would count as omitted.
  if (to === cursor.number || (await hasUnsettled(db, chain.id, to))) return 'done'
  const header = await chain.findHeader(to)
  if (!header) return 'done'
  const isCompared = await compareUpTo(needs, { cursor, header, states, signal })
  return isCompared && to < top ? 'again' : 'done'
}

type Look = {
  readonly cursor: Cursor
  readonly header: BlockHeader
  readonly states: StateLog
  readonly signal: AbortSignal
}

async function compareUpTo(needs: ScanNeeds, { cursor, header, states, signal }: Look): Promise<boolean> {
  const { db, chain, clock, log } = needs
  const head = await chain.readHead()
  if (head.final.number < header.number) return false
  const recovery: Recovery = { name: cursorNames.comparison, cursor, head, states }
  const range = { above: cursor.number, to: header.number }
  const merchants = await listTouchedMerchants(db, chain.id, range)
  await recordNativeSweeps(db, chain.id, merchants, nativeAddress, range)

  for (const block of await listUnbookedCalls(db, chain.id, merchants, range))
    await withoutErrors(recovery, { blockNumber: block.toString() }, () =>
      recoverBlock(needs, recovery, block),
    )

  const round = await findRound(db, chain.id)
  const next = await comparePages(needs, recovery, { merchants, round, header, signal, states })
  signal.throwIfAborted()
  await db.transaction(async (tx) => {
    const { number, hash, at } = header
    if (!(await moveCursor(tx, chain.id, cursorNames.comparison, cursor, { number, hash, at }, clock.now())))
      return
    await saveRound(tx, chain.id, next)
  })
  log.debug({ block: header.number.toString() }, 'the ledger was compared with the chain')
  return true
}

async function comparePages(
  needs: ScanNeeds,
  recovery: Recovery,
  look: Pick<Look, 'header' | 'signal' | 'states'> & { merchants: readonly Wallet[]; round: Round },
): Promise<Round> {
  const { db, chain } = needs
  const { header, merchants, round, signal, states } = look
  const at = header.number
  for (let after = ''; ; ) {
    signal.throwIfAborted()
    const page = await listBusySplits(db, chain.id, merchants, header.at, { after, limit: perPage })
    for (const { ledger, gap } of await compareSplits(needs, recovery, page, at))
      report(states, { ...ledger, subject: ledger.split }, gap)
    await compareReleased(needs, recovery, page, { above: recovery.cursor.number, at })
    const last = page.at(-1)
    if (page.length < perPage || !last) break
    after = last.split
  }
  const idle = await listAnySplits(db, chain.id, { after: round.afterSplit, limit: idlePerRound })
  for (const { ledger, gap } of await compareSplits(needs, recovery, idle, at))
    report(states, { ...ledger, subject: ledger.split }, gap)
  // A missed release at an idle split may be old, so the scan starts at block 0.
  await compareReleased(needs, recovery, idle, { above: 0n, at })

  const compare = async (receipts: readonly ComparedReceipt[]) => {
    for (const { ledger, gap } of await compareDeposits(needs, recovery, receipts, at))
      report(states, { ...ledger, subject: ledger.receiptId }, gap)
  }
  for (let after: string | undefined = ''; after !== undefined; ) {
    signal.throwIfAborted()
    const page = await listBusyReceipts(db, chain.id, header.at, { after, limit: perPage })
    await compare(page.receipts)
    after = page.last
  }
  const others = await listAnyReceipts(db, chain.id, { after: round.afterDeposit, limit: idlePerRound })
  await compare(others.receipts)
  return {
    afterSplit: idle.length < idlePerRound ? '' : (idle.at(-1)?.split ?? ''),
    afterDeposit: others.receipts.length === 0 ? '' : (others.last ?? ''),
  }
}

function report(states: StateLog, { merchant, token, subject }: Reported, gap: bigint): void {
  const fields = { alert: 'ledger-differs', merchant, token, subject, chainHasMore: gap.toString() }
  const message = 'the ledger and the chain differ; run `audit money` to find the transaction'
  states.say(`${merchant} ${token} ${subject}`, gap.toString(), 'error', fields, message)
}

type Reported = { readonly merchant: Wallet; readonly token: Wallet; readonly subject: string }

async function goBack({ db, chain, clock }: ScanNeeds, cursor: Cursor, to: bigint): Promise<'done'> {
  const header = await chain.findHeader(to)
  if (header) await moveCursor(db, chain.id, cursorNames.comparison, cursor, header, clock.now())
  return 'done'
}
