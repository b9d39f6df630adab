import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test, vi } from 'vitest'
import { settleReceipt } from '../../../src/payments/settlement/settle-receipt.ts'
import { type Database, Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { always } from '../../support/chain/chain-api.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

vi.setConfig({ testTimeout: 3_600_000 })

const perReceipt = 100
const perBlock = 20
/** `RACES=100000` takes some minutes. */
const receiptCount = Number(process.env.RACES ?? '2000') / perReceipt
const policy = always('safe')
const context = perFile(() => startPayments({ policy }))

test(`of ${receiptCount * perReceipt} racing confirmations by two replicas, one credits each payment`, async () => {
  const replicas = [0, 1].map(() => new Pool({ url: context.database.url, log: makeLog('silent') }))
  const merchant = context.merchant.wallet
  let credits = 0
  for (let next = 0; next < receiptCount; ) {
    const ids: ReceiptId[] = []
    for (; ids.length < perBlock && next < receiptCount; next++) {
      const id = `raced-${next}` as ReceiptId
      const attempt = await context.open(id, 20, next % 2 === 0 ? 'ETH' : 'USDC')
      await context.pay(attempt, next % 3 === 0 ? 'call' : 'transfer')
      ids.push(id)
    }
    await context.mineAndScan()
    const head = await context.chain.client.getBlockNumber()
    const tags = { latest: head, safe: head, final: head }
    const settling = { chain: 31337, tags, coveredTo: 0 as UnixMs, policy }
    for (const receiptId of ids) {
      expect(await context.status(receiptId)).toBe('pending')
      const confirm = (tx: Database) =>
        settleReceipt({ ...context.needs, tx }, settling, { merchant, receiptId })
      const racing = Array.from({ length: perReceipt }, (_, i) => replicas[i % 2]?.transaction(confirm))
      credits += (await Promise.all(racing)).filter((each) => each?.isNew).length
    }
  }
  await Promise.all(replicas.map((pool) => pool.close()))

  const counts = `SELECT (SELECT count(*) FROM payment WHERE state = 'credited') AS payments,
    (SELECT count(*) FROM log_claim) AS claims, (SELECT count(*) FROM outbox_message) AS messages,
    (SELECT count(*) FROM receipt_history WHERE kind = 'payment_credited') AS credits`
  const all = BigInt(receiptCount)
  expect(await context.rows(counts)).toEqual([{ payments: all, claims: all, messages: all, credits: all }])
  expect(credits).toBe(receiptCount)
  console.log(`${receiptCount * perReceipt} racing confirmations: ${credits} payments, 0 credited twice`)
})
