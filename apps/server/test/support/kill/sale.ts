import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Mined } from '../../../src/local/demo/buyer.ts'
import type { Shop } from './shop.ts'

export type Sale = {
  readonly id: string
  readonly token: 'USDC' | 'ETH'
  readonly way: 'call' | 'transfer'
  readonly usd: number
}

export type Script = 'tokenToDeposit' | 'coinToDeposit'

/**
 * Scripts with both ways to pay. Each uses a token only once, so that no transactions are batched by chance.
 */
export const sales: Readonly<Record<Script, readonly [Sale, Sale]>> = {
  tokenToDeposit: [
    { id: 'usdc-transfer', token: 'USDC', way: 'transfer', usd: 19.99 },
    { id: 'eth-call', token: 'ETH', way: 'call', usd: 60 },
  ],
  coinToDeposit: [
    { id: 'eth-transfer', token: 'ETH', way: 'transfer', usd: 33.33 },
    { id: 'usdc-call', token: 'USDC', way: 'call', usd: 42.5 },
  ],
}

const endLimitMs = 240_000

export async function playSales(shop: Shop, played: readonly Sale[]): Promise<void> {
  await Promise.all(played.map((sale) => payFor(shop, sale)))
  await waitForEnd(
    shop,
    played.map(({ id }) => id),
  )
}

/**
 * Creates a receipt, opens an attempt and pays it. Repeats each request, which must return the same response.
 */
export async function payFor(shop: Shop, sale: Sale): Promise<Mined> {
  const { client, buyer } = shop
  const request = {
    id: sale.id,
    lineItems: [{ label: 'Something', priceUsd: sale.usd }],
    totalUsd: sale.usd,
    webhook_url: `${shop.receiver.url}/hook`,
  }
  const made = await client.createReceipt(request)
  assert.deepEqual(await client.createReceipt(request), made, 'a repeated create has the first answer')
  // This buyer's approval for another purchase must not count for this purchase.
  const payer = sale.way === 'call' ? undefined : buyer.address
  const attempt = await client.openAttempt(sale.id, sale.token, payer)
  const again = await client.openAttempt(sale.id, sale.token, payer)
  assert.equal(again.reference, attempt.reference, 'an open offer is given again')
  return sale.way === 'call' ? buyer.payByCall(attempt) : buyer.payByTransfer(attempt)
}

/** Waits until the receipts are reconciled, and no delivery, transaction or sweep is open. */
export async function waitForEnd({ db, local }: Shop, ids: readonly string[]): Promise<void> {
  const listOpen = () => db.rows<{ what: string }>({ name: '', text: open }, [local.merchant.address, ids])
  const giveUpAt = performance.now() + endLimitMs
  for (;;) {
    const left = await listOpen().catch((error: Error) => [{ what: `the database: ${error.message}` }])
    if (left.length === 0) return
    if (performance.now() > giveUpAt)
      throw new Error(`not done in time: ${left.map(({ what }) => what).join('; ')}`)
    await pause(100)
  }
}

const open = `SELECT 'receipt ' || wanted.id || ' is ' || coalesce(r.status, 'missing') AS what
    FROM unnest($2::text[]) AS wanted (id) LEFT JOIN receipt r ON r.merchant = $1 AND r.id = wanted.id
    WHERE r.status IS DISTINCT FROM 'reconciled'
  UNION ALL SELECT 'message ' || idempotency_key || ' is ' || state FROM outbox_message
    WHERE merchant = $1 AND state = 'pending'
  UNION ALL SELECT 'transaction ' || kind || ' ' || nonce || ' is open' FROM outgoing_transaction WHERE state = 'signed'
  UNION ALL SELECT 'deposit of ' || receipt_id || ' is not noted as swept' FROM payment
    WHERE merchant = $1 AND kind <> 'call' AND swept_tx IS NULL AND state = 'credited'`
