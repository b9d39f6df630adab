import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { makeId } from '../kernel/make-id.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import type { UnmatchedReason } from './match-transfer.ts'
import type { PaymentBlock, PaymentKey, PaymentKind } from './payment.ts'

/** Money that no receipt explains, for the merchant's inbox. */
export type Unmatched = PaymentKey & {
  readonly merchant: Wallet
  /** Where it was meant for one all the same: wrong token, or paid already. */
  readonly receiptId: ReceiptId | undefined
  /** How it came, and what it named: a reference, a deposit address, a split. Absent in old rows. */
  readonly kind: PaymentKind | undefined
  readonly source: string | undefined
  readonly tokenAddress: Wallet
  readonly amount: bigint
  readonly payer: Wallet | undefined
  readonly reason: UnmatchedReason
  readonly block: PaymentBlock
}

/**
 * Puts money into the merchant's inbox, where it stays until a person decides. Safe to repeat; one that a
 * reorg took out comes back.
 */
export async function recordUnmatched(
  needs: { tx: Database; random: Random },
  chain: number,
  entry: Unmatched,
  now: UnixMs,
): Promise<void> {
  await needs.tx.run(insert, [
    entry.merchant,
    makeId(now, needs.random),
    chain,
    entry.txHash,
    entry.logIndex,
    entry.address,
    entry.receiptId ?? null,
    entry.tokenAddress,
    entry.amount,
    entry.payer ?? null,
    entry.reason,
    entry.block.number,
    entry.block.hash,
    entry.block.at,
    now,
    entry.kind ?? null,
    entry.source ?? null,
  ])
}

const insert = {
  name: 'insert-unmatched-payment',
  text: `INSERT INTO unmatched_payment (merchant, id, chain, tx_hash, log_index, address, receipt_id, token_address,
      amount, payer, reason, state, block_number, block_hash, block_at, seen_at, kind, source)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'open', $12, $13, $14, $15, $16, $17)
    ON CONFLICT (merchant, chain, tx_hash, log_index, address) DO UPDATE SET state = 'open',
      lost_state = NULL, kind = excluded.kind, source = excluded.source, receipt_id = excluded.receipt_id, token_address = excluded.token_address, amount = excluded.amount,
      payer = excluded.payer, reason = excluded.reason, block_number = excluded.block_number,
      block_hash = excluded.block_hash, block_at = excluded.block_at
    WHERE unmatched_payment.state = 'orphaned'`,
}
