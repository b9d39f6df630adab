import { nativeAddress } from '@sluice/protocol/wallet.ts'
import type { PaymentContext } from '../chain/payments.ts'

/** Inserts open attempts for unknown receipts, half in the native token and half in USDC. */
export async function addTargets(context: PaymentContext, count: number): Promise<void> {
  const { db, chain, clock } = context.needs
  const far = clock.now() + 365 * 86_400_000
  const split = context.merchant.wallet
  for (const [from, to, token] of [
    [1, count >> 1, nativeAddress],
    [(count >> 1) + 1, count, context.tokenAddress('USDC')],
  ] as const)
    await db.run(insert, [chain.id, token, context.merchant.wallet, split, far, from, to])
}

/**
 * Returns the total amount received for a receipt: payments, credited or not, and cases beyond the receipt's
 * maximum number of payments.
 */
export async function dustSum(context: PaymentContext, receiptId: string): Promise<bigint> {
  const row = await context.needs.db.row<{ total: bigint }>(sum, [context.merchant.wallet, receiptId])
  return row?.total ?? 0n
}

const insert = {
  name: 'test-insert-targets',
  text: `INSERT INTO attempt_target (chain, deposit_address, reference, token_address, merchant, attempt_id, receipt_id,
      split_address, is_open, expires_at, hot_until, watch_until)
    SELECT $1, '0x' || substr(md5(n::text) || md5((-n)::text), 1, 40), '0x' || md5(n::text) || md5((-n)::text), $2, $3,
      'attempt-' || n, 'receipt-' || n, $4, true, $5, $5, $5
    FROM generate_series($6::int8, $7::int8) AS n`,
}

const sum = {
  name: 'test-sum-payments',
  text: `SELECT coalesce(sum(amount), 0) AS total FROM (
      SELECT amount FROM payment WHERE merchant = $1 AND receipt_id = $2
      UNION ALL SELECT amount FROM unmatched_payment
        WHERE merchant = $1 AND receipt_id = $2 AND reason = 'too-many-payments') AS money`,
}
