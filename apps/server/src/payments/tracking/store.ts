import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import {
  bool,
  count,
  int8,
  named,
  numeric,
  optional,
  type Parts,
  text,
  time,
} from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { storedToken } from '../attempts/store.ts'
import type { CountedMoney, TrackedArrival } from './track-money.ts'

export type ShownPayment = {
  readonly txHash: Hex
  readonly logIndex: number
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly payer: Wallet | undefined
  readonly kind: 'call' | 'transfer' | 'native'
  readonly depositAddress: Wallet
  /** Transaction hash of the sweep to the split; another value if the money took another path. */
  readonly sweptTx: string | undefined
  readonly units: bigint
  readonly token: Token
  readonly at: UnixMs
  readonly isLate: boolean
  readonly isReversed: boolean
  readonly rate: bigint
  readonly quotedAt: UnixMs
  readonly provider: string
}

type Asked = { readonly merchant: Wallet; readonly chain: number; readonly receiptId: ReceiptId }

/**
 * Lists the largest payments of a receipt in chain order, and the total count.
 *
 * Size is relative to the amount of the attempt, so that dust in another token does not displace them.
 */
export async function listShownPayments(
  db: Database,
  asked: Asked,
  limit: number,
): Promise<{ payments: ShownPayment[]; count: number }> {
  const rows = await db.rows(listShown({ ...asked, limit }))
  const payments = rows
    .map(({ total: _, ...payment }) => payment)
    .sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex)
  return { payments, count: rows[0]?.total ?? 0 }
}

export async function sumCountedMoney(db: Database, asked: Asked): Promise<CountedMoney[]> {
  return db.rows(sumCounted(asked))
}

/** Lists the newest arrivals for a receipt, oldest first, including applied payments. */
export async function listTrackedArrivals(
  db: Database,
  asked: Asked,
  limit: number,
): Promise<TrackedArrival[]> {
  return (await db.rows(listArrivals({ ...asked, limit }))).reverse()
}

const shownPayment: Parts<ShownPayment & { total: number }> = {
  txHash: text(),
  logIndex: count(),
  blockNumber: int8(),
  blockHash: text(),
  payer: optional(text()),
  kind: text(),
  depositAddress: text(),
  sweptTx: optional(text()),
  units: named('amount', numeric()),
  token: storedToken,
  at: named('block_at', time()),
  isLate: bool(),
  isReversed: bool(),
  rate: named('rate_e8', numeric()),
  quotedAt: time(),
  provider: text(),
  total: count(),
}

const listShown = statement({
  name: 'list-shown-payments',
  reads: shownPayment,
  text: `SELECT p.tx_hash, p.log_index, p.block_number, p.block_hash, p.payer, p.kind, p.swept_tx,
      a.deposit_address,
      p.amount, p.token, p.token_address, p.block_at, p.is_late,
      p.state = 'orphaned' AS is_reversed, p.rate_e8,
      (a.quote ->> 'quotedAt')::int8 AS quoted_at, a.quote ->> 'provider' AS provider, count(*) OVER () AS total
    FROM payment p JOIN attempt a ON a.merchant = :merchant AND a.id = p.attempt_id
    WHERE p.merchant = :merchant AND p.chain = :chain AND p.receipt_id = :receiptId
      AND (p.state IN ('seen', 'credited') OR (p.state = 'orphaned' AND p.credited_at IS NOT NULL
        AND p.accepted_at IS NULL))
    ORDER BY p.amount / greatest(a.amount, 1) DESC, p.block_number, p.log_index LIMIT :limit`,
})

const counted: Parts<CountedMoney> = {
  token: named('token_address', text()),
  credited: numeric(),
  seen: numeric(),
  firstAt: time(),
  blockNumber: int8(),
  creditedAt: optional(time()),
}

const sumCounted = statement({
  name: 'sum-counted-money',
  reads: counted,
  text: `SELECT token_address, coalesce(sum(amount) FILTER (WHERE state = 'credited'), 0)::numeric(78, 0) AS credited,
      coalesce(sum(amount) FILTER (WHERE state = 'seen'), 0)::numeric(78, 0) AS seen,
      min(block_at) AS first_at, max(block_number) AS block_number, max(credited_at) AS credited_at
    FROM payment WHERE merchant = :merchant AND chain = :chain AND receipt_id = :receiptId
      AND state IN ('seen', 'credited')
    GROUP BY token_address ORDER BY min(block_at), token_address`,
})

const arrival: Parts<TrackedArrival> = {
  split: named('split_address', text()),
  token: named('token_address', text()),
  amount: numeric(),
  receivedAfter: numeric(),
  distributedTx: optional(text()),
  distributedAt: optional(time()),
}

const listArrivals = statement({
  name: 'list-tracked-arrivals',
  reads: arrival,
  text: `SELECT split_address, token_address, amount, received_after, distributed_tx, distributed_at
    FROM (
      SELECT a.* FROM split_arrival a
      WHERE a.merchant = :merchant AND a.chain = :chain AND a.receipt_id = :receiptId AND a.orphaned_at IS NULL
      UNION
      SELECT a.* FROM payment p
      JOIN unmatched_payment u ON u.merchant = :merchant AND u.chain = :chain AND u.tx_hash = p.tx_hash
        AND u.log_index = p.log_index AND u.address = p.address
      JOIN split_arrival a ON a.merchant = :merchant AND a.chain = :chain AND a.orphaned_at IS NULL
        AND a.token_address = p.token_address
        AND ((a.kind <> 'sweep' AND a.tx_hash = p.tx_hash AND a.log_index = p.log_index)
          OR (p.kind <> 'call' AND a.kind = 'sweep' AND a.tx_hash = u.swept_tx AND a.receipt_id = u.receipt_id))
      WHERE p.merchant = :merchant AND p.chain = :chain AND p.receipt_id = :receiptId AND p.swept_tx = 'applied'
        AND p.state <> 'orphaned'
    ) AS arrival
    ORDER BY block_number DESC, log_index DESC LIMIT :limit`,
})
