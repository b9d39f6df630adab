import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Mined } from '../../../src/local/demo/buyer.ts'
import type { Shop } from './shop.ts'

/** One sale of the script that every run plays. */
export type Sale = {
  readonly id: string
  readonly token: 'USDC' | 'ETH'
  readonly way: 'call' | 'transfer'
  readonly usd: number
}

/** The scripts there are. */
export type Script = 'tokenToDeposit' | 'coinToDeposit'

/** Whether a text names a script. */
export function isScript(name: string | undefined): name is Script {
  return name !== undefined && Object.hasOwn(sales, name)
}

/** Both ways to pay, a token and the chain's own coin; each token once, so that nothing is batched by chance. */
export const sales: Readonly<Record<Script, readonly Sale[]>> = {
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

/** Plays sales side by side from the receipt to the last webhook, whatever happens to the service meanwhile. */
export async function playSales(shop: Shop, played: readonly Sale[]): Promise<void> {
  await Promise.all(played.map((sale) => payFor(shop, sale)))
  const ids = played.map(({ id }) => id)
  await waitForEnd(shop, ids)
}

/** A receipt, an offer for it and its payment. What was acknowledged stays so. */
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
  // Whose allowance was seen is spared another approval: that of one buyer's other purchase, which takes it all.
  const payer = sale.way === 'call' ? undefined : buyer.address
  const attempt = await client.openAttempt(sale.id, sale.token, payer)
  const again = await client.openAttempt(sale.id, sale.token, payer)
  assert.equal(again.reference, attempt.reference, 'an open offer is given again')
  return sale.way === 'call' ? buyer.payByCall(attempt) : buyer.payByTransfer(attempt)
}

/** Waits until receipts are reconciled and nothing is left to be told or to be sent. */
export async function waitForEnd(shop: Shop, ids: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + endLimitMs
  for (;;) {
    const open = await findOpen(shop, ids).catch((error: Error) => [`the database: ${error.message}`])
    if (open.length === 0) return
    if (performance.now() > giveUpAt) throw new Error(`not done in time: ${open.join('; ')}`)
    await pause(200)
  }
}

async function findOpen({ db, local }: Shop, ids: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ what: string }>({ name: '', text: open }, [local.merchant.address, ids])
  return rows.map(({ what }) => what)
}

const open = `SELECT 'receipt ' || wanted.id || ' is ' || coalesce(r.status, 'missing') AS what
    FROM unnest($2::text[]) AS wanted (id) LEFT JOIN receipt r ON r.merchant = $1 AND r.id = wanted.id
    WHERE r.status IS DISTINCT FROM 'reconciled'
  UNION ALL SELECT 'notice ' || idempotency_key || ' is ' || state FROM notice
    WHERE merchant = $1 AND state = 'pending'
  UNION ALL SELECT 'transaction ' || kind || ' ' || nonce || ' is open' FROM own_transaction WHERE state = 'signed'
  UNION ALL SELECT 'deposit of ' || receipt_id || ' is not noted as swept' FROM payment
    WHERE merchant = $1 AND kind <> 'call' AND swept_tx IS NULL AND state = 'credited'`
