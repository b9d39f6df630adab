import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { markSwept } from '../../../src/payments/sweeping/store.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'

const database = perFile(makeTestDatabase)
const chain = 31_337
const merchant = '0xaa' as Wallet
const token = '0xcc' as Wallet
const receiptId = 'rcpt_dusty'
const many = 10_000

test('ten thousand dust payments, each swept by a stranger, are each noted with the first sweep after it', async () => {
  const { pool } = database
  const run = (text: string) => pool.run({ name: '', text, isPlannedAnew: true })
  await run(`INSERT INTO receipt (merchant, id, status, origin, format, currency, total_cents, fee_cents, fee_hundredths,
      lines, brand_key, brand_name, content_hash, created_at, updated_at, history_count)
    VALUES ('${merchant}', '${receiptId}', 'paid', 'api', 'native', 'USD', 1, 0, 0, '[]', '', '', '', 1, 1, 0)`)
  await run(`INSERT INTO attempt (merchant, id, receipt_id, chain, token, token_address, total_cents, due_cents, amount,
      rate_e8, quote, reference, deposit_address, factory, split_address, split_version, opened_block, created_at, expires_at,
      watch_until)
    VALUES ('${merchant}', 'att', '${receiptId}', ${chain}, 'USDC', '${token}', 1, 1, 1, 1, '{}', '0xref', '0xdd', '0xff',
      '0xee', 1, 1, 1, 1, 1)`)
  await run(`INSERT INTO payment (merchant, chain, tx_hash, log_index, address, receipt_id, attempt_id, kind, token,
      token_address, amount, rate_e8, is_late, block_number, block_hash, block_at, state, seen_at)
    SELECT '${merchant}', ${chain}, '0xpaid' || i, 0, '', '${receiptId}', 'att', 'transfer', 'USDC', '${token}', 1, 1,
      false, 2 * i, '', 1, 'credited', 1 FROM generate_series(1, ${many}) AS i`)
  await run(`INSERT INTO unmatched_payment (merchant, id, chain, tx_hash, log_index, address, receipt_id, token_address,
      amount, reason, state, block_number, block_hash, block_at, seen_at, kind)
    SELECT '${merchant}', 'u' || i, ${chain}, '0xlate' || i, 0, '', '${receiptId}', '${token}', 1, 'late', 'open', 2 * i,
      '', 1, 1, 'transfer' FROM generate_series(1, ${many}) AS i`)
  await run(`INSERT INTO split_arrival (merchant, chain, tx_hash, log_index, split_address, token_address, amount,
      received_after, kind, reference, receipt_id, block_number, block_hash, block_at)
    SELECT '${merchant}', ${chain}, '0xsweep' || i, 0, '0xee', '${token}', 2, 2 * i, 'sweep', '0xref', '${receiptId}',
      2 * i + 1, '', 1 FROM generate_series(1, ${many}) AS i`)

  const deposit = { merchant, receiptId, token, blockNumber: BigInt(2 * many), waitingSince: undefined }
  await markSwept(pool, chain, deposit, 0n)

  const noted = `count(*)::int8 AS all,
    count(*) FILTER (WHERE swept_tx = '0xsweep' || block_number / 2)::int8 AS right`
  for (const table of ['payment', 'unmatched_payment'])
    expect(await pool.row({ name: '', text: `SELECT ${noted} FROM ${table}`, isPlannedAnew: true })).toEqual({
      all: BigInt(many),
      right: BigInt(many),
    })
})
