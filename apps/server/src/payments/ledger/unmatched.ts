import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { UnmatchedReason } from './match-transfer.ts'
import { type PaymentBlock, type PaymentKey, type PaymentKind, textOfKey } from './payment.ts'

/** Self-declared data of an unlisted token. It is not trustworthy. */
export type UnlistedToken = { readonly name: string | undefined; readonly decimals: number }

export type Unmatched = PaymentKey & {
  readonly merchant: Wallet
  /** Intended receipt, if the token was wrong or the receipt was already paid. */
  readonly receiptId: ReceiptId | undefined
  readonly kind: PaymentKind | undefined
  readonly source: string | undefined
  readonly tokenAddress: Wallet
  readonly unlisted?: UnlistedToken | undefined
  readonly amount: bigint
  readonly payer: Wallet | undefined
  readonly reason: UnmatchedReason
  readonly block: PaymentBlock
}

/**
 * Records unmatched payments until the merchant decides. Safe to repeat; restores a payment that a reorg
 * removed.
 */
export async function recordUnmatched(
  needs: { tx: Database; random: Random },
  chain: number,
  entries: readonly Unmatched[],
  now: UnixMs,
): Promise<void> {
  const known = new Set<string>()
  const rows = entries.flatMap((entry) => {
    const key = `${entry.merchant} ${textOfKey(entry)}`
    if (known.has(key)) return []
    known.add(key)
    const { name: tokenName, decimals: tokenDecimals } = entry.unlisted ?? {}
    return [{ ...entry, tokenName, tokenDecimals, id: generateId(now, needs.random) }]
  })
  if (rows.length === 0) return
  await noteOwners(needs.tx, chain, rows)
  await needs.tx.run(insert({ chain, now, each: rows }))
}

export async function noteOwners(
  tx: Database,
  chain: number,
  money: readonly Pick<Unmatched, 'merchant' | 'txHash' | 'block'>[],
): Promise<void> {
  const each = money.filter(({ txHash, block }) => txHash !== block.hash)
  if (each.length > 0) await tx.run(addOwners({ chain, each }))
}

const addOwners = statement({
  name: 'add-unmatched-owners',
  text: `INSERT INTO unmatched_owner (tx_hash, chain, merchant)
    SELECT DISTINCT tx_hash, :chain::int8, merchant
    FROM unnest(:each.txHash::text[], :each.merchant::text[]) AS money (tx_hash, merchant) ORDER BY 1, 3
    ON CONFLICT DO NOTHING`,
})

const insert = statement({
  name: 'insert-unmatched-payment',
  text: `INSERT INTO unmatched_payment (merchant, id, chain, tx_hash, log_index, address, receipt_id, token_address,
      amount, payer, reason, state, block_number, block_hash, block_at, seen_at, kind, source, token_name, token_decimals)
    SELECT merchant, id, :chain, tx_hash, log_index, address, receipt_id, token_address, amount, payer, reason, 'open',
      block_number, block_hash, block_at, :now, kind, source, token_name, token_decimals
    FROM unnest(:each.merchant::text[], :each.id::text[], :each.txHash::text[], :each.logIndex::int8[],
      :each.address::text[], :each.receiptId::text[], :each.tokenAddress::text[], :each.amount::numeric[],
      :each.payer::text[], :each.reason::text[], :each.block.number::int8[], :each.block.hash::text[],
        :each.block.at::int8[], :each.kind::text[], :each.source::text[], :each.tokenName::text[],
        :each.tokenDecimals::int8[])
      AS entry (merchant, id, tx_hash, log_index, address, receipt_id, token_address, amount, payer, reason,
        block_number, block_hash, block_at, kind, source, token_name, token_decimals)
    ON CONFLICT (merchant, chain, tx_hash, log_index, address) DO UPDATE SET state = 'open',
      lost_state = NULL, kind = excluded.kind, source = excluded.source, receipt_id = excluded.receipt_id,
      token_address = excluded.token_address, amount = excluded.amount,
      payer = excluded.payer, reason = excluded.reason, block_number = excluded.block_number,
      block_hash = excluded.block_hash, block_at = excluded.block_at
    WHERE unmatched_payment.state = 'orphaned'`,
})
