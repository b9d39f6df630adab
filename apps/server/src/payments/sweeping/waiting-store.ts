import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, named, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { UnsweptDeposit } from './store.ts'

/**
 * Check interval by waiting time. Each interval is a multiple of the previous one, so that checks coincide.
 */
const pauses = [
  { belowMs: 600_000, pauseMs: 60_000 },
  { belowMs: 7_200_000, pauseMs: 600_000 },
  { belowMs: Number.POSITIVE_INFINITY, pauseMs: 3_600_000 },
]

export type WaitingDeposit = {
  readonly merchant: Wallet
  readonly receiptId: string
  readonly token: Wallet
  readonly amount: bigint
  readonly since: UnixMs
  readonly lookAt: UnixMs
}

export type WaitingPlace = Pick<WaitingDeposit, 'merchant' | 'receiptId' | 'token'>

export async function recordWaiting(
  db: Database,
  chain: number,
  deposit: UnsweptDeposit,
  amount: bigint,
  now: UnixMs,
): Promise<boolean> {
  const { merchant, receiptId, token, blockNumber, waitingSince } = deposit
  const since = waitingSince ?? now
  const lookAt = nextLook(since, now)
  await db.run(put({ merchant, chain, receiptId, token, amount, blockNumber, since, lookAt }))
  return waitingSince === undefined
}

/** Aligns checks to the interval: several small deposits together may be worth a transaction. */
function nextLook(since: UnixMs, now: UnixMs): UnixMs {
  const pauseMs = pauses.find(({ belowMs }) => now - since < belowMs)?.pauseMs ?? 0
  return addMs(now, pauseMs - (now % pauseMs))
}

export async function pruneWaiting(db: Database, chain: number, deposit: UnsweptDeposit): Promise<void> {
  await db.run(
    remove({ merchant: deposit.merchant, chain, receiptId: deposit.receiptId, token: deposit.token }),
  )
}

export async function listWaiting(
  db: Database,
  chain: number,
  after: WaitingPlace | undefined,
  limit: number,
): Promise<WaitingDeposit[]> {
  const { merchant: afterMerchant = '', receiptId: afterReceipt = '', token: afterToken = '' } = after ?? {}
  return db.rows(list({ chain, afterMerchant, afterReceipt, afterToken, limit }))
}

export async function listWaitingOf(
  db: Database,
  chain: number,
  merchant: Wallet,
  after: WaitingPlace | undefined,
  limit: number,
): Promise<WaitingDeposit[]> {
  const place = { afterReceipt: after?.receiptId ?? '', afterToken: after?.token ?? '' }
  return db.rows(listOf({ chain, merchant, ...place, limit }))
}

const put = statement({
  name: 'put-sweep-waiting',
  text: `INSERT INTO sweep_waiting
      (merchant, chain, receipt_id, token_address, amount, block_number, since, look_at)
    VALUES (:merchant, :chain, :receiptId, :token, :amount, :blockNumber, :since, :lookAt)
    ON CONFLICT (merchant, chain, receipt_id, token_address) DO UPDATE SET amount = excluded.amount,
      block_number = excluded.block_number, look_at = excluded.look_at`,
})

const remove = statement({
  name: 'remove-sweep-waiting',
  text: `DELETE FROM sweep_waiting
    WHERE merchant = :merchant AND chain = :chain AND receipt_id = :receiptId AND token_address = :token`,
})

const waiting = {
  merchant: text<Wallet>(),
  receiptId: text(),
  token: named('token_address', text<Wallet>()),
  amount: int8(),
  since: time(),
  lookAt: time(),
}

const listOf = statement({
  name: 'list-sweeps-waiting-of-merchant',
  reads: waiting,
  text: `SELECT merchant, receipt_id, token_address, amount, since, look_at FROM sweep_waiting
    WHERE merchant = :merchant AND chain = :chain AND (receipt_id, token_address) > (:afterReceipt, :afterToken)
    ORDER BY receipt_id, token_address LIMIT :limit`,
})

const list = statement({
  name: 'list-sweeps-waiting',
  reads: waiting,
  text: `SELECT merchant, receipt_id, token_address, amount, since, look_at FROM sweep_waiting
    WHERE chain = :chain AND (merchant, receipt_id, token_address) > (:afterMerchant, :afterReceipt, :afterToken)
    ORDER BY merchant, receipt_id, token_address LIMIT :limit`,
})
