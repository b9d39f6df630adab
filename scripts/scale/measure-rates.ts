import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { systemClock } from '../../apps/server/src/kernel/clock.ts'
import { systemRandom } from '../../apps/server/src/kernel/random.ts'
import { Pool } from '../../apps/server/src/platform/database/database.ts'
import { makeLog } from '../../apps/server/src/platform/log.ts'
import { ReceiptBatches } from '../../apps/server/src/receipts/making/receipt-batches.ts'
import type { Receipt } from '../../apps/server/src/receipts/receipt.ts'
import { findReceipt } from '../../apps/server/src/receipts/store.ts'
import { listNewest } from '../../apps/server/src/receipts/viewing/list-store.ts'
import { enqueueDelivery } from '../../apps/server/src/webhooks/enqueue-delivery.ts'
import { claimDeliveries, recordAttempt, settleDelivery } from '../../apps/server/src/webhooks/store.ts'
import { fillReceipts } from '../../apps/server/test/support/database/fill-receipts.ts'

/** What is measured. */
export const rateNames = ['create', 'read', 'list', 'webhook'] as const

/** How often a second each was done. */
export type Rates = Readonly<Record<(typeof rateNames)[number], number>>

const merchants = Array.from(
  { length: 64 },
  (_, i) => parseWallet(`0x${(i + 1).toString(16).padStart(40, '0')}`) as Wallet,
)
const connections = 32
/** Requests that create come together in batches: so many are under way at once, as many as a busy service has. */
const creating = 512
/** What comes first is not counted: connections are opened, and plans made. */
const warmMs = 2_000
const chainId = 31337
const room = { limit: 20, maxBytes: 512 * 1024 }

/** Measures a database with the schema, by what the service itself does there, over many merchants in turns. */
export async function measureRates(url: string, seconds: number): Promise<Rates> {
  const db = new Pool({ url, max: connections, log: makeLog('error') })
  const run = `rate-${systemClock.now()}`
  try {
    const sample = await makeSample(db)
    const batches = new ReceiptBatches({ db, clock: systemClock })
    const ids: { merchant: Wallet; id: ReceiptId }[] = []
    const merchantOf = (n: number) => merchants[n % merchants.length] as Wallet
    const create = await rate({ seconds, atOnce: creating }, async (n) => {
      const [merchant, id] = [merchantOf(n), `${run}-${n}` as ReceiptId]
      await batches.insert({ ...sample, merchant, id })
      ids.push({ merchant, id })
    })
    const read = await rate({ seconds }, async (n) => {
      const known = ids[(n * 7919) % ids.length]
      if (known) await findReceipt(db, known.merchant, known.id)
    })
    const list = await rate({ seconds }, async (n) => void (await listNewest(db, merchantOf(n), room)))
    const webhook = await rate({ seconds }, (n) => deliver(db, merchantOf(n), `${run}-${n}`))
    return { create, read, list, webhook }
  } finally {
    await db.close()
  }
}

/** A receipt as a shop has them. */
async function makeSample(db: Pool): Promise<Receipt> {
  const merchant = parseWallet(`0x${'5'.repeat(40)}`) as Wallet
  const id = 'order-1' as ReceiptId
  const found = await findReceipt(db, merchant, id)
  if (found) return found
  await fillReceipts(db, { merchant, chainId, count: 1, begin: systemClock.now() - 1_000, spanMs: 1_000 })
  const sample = await findReceipt(db, merchant, id)
  if (!sample) throw new Error('no receipt was made')
  return sample
}

/** What the database does for one webhook that is delivered at once. */
async function deliver(db: Pool, merchant: Wallet, subject: string): Promise<void> {
  const needs = { clock: systemClock, random: systemRandom }
  const id = await db.transaction((tx) =>
    enqueueDelivery(
      { tx, ...needs },
      {
        merchant,
        subject,
        brandKey: 'service',
        url: 'https://shop.example/hook',
        keyId: 'key',
        sealedKey: 'sealed',
        idempotencyKey: subject,
        sequence: 1n,
        body: '{"event":"sample"}',
      },
    ),
  )
  const now = systemClock.now()
  const due = [{ merchant, id, host: 'shop.example', nextAt: now, place: 1 }]
  const [claimed] = await claimDeliveries(db, due, { now, until: now, token: 'rate:1' })
  if (!claimed) throw new Error('a webhook was not claimed')
  await db.transaction(async (tx) => {
    const change = { state: 'delivered', attemptCount: 1, at: now } as const
    if (await settleDelivery(tx, claimed, change))
      await recordAttempt(tx, claimed, { startedAt: now, endedAt: now, status: 200, fault: undefined })
  })
}

/** Does `work` from many sides, from as many as there are connections where nothing else is said; how often a second. */
async function rate(
  { seconds, atOnce = connections }: { seconds: number; atOnce?: number },
  work: (n: number) => Promise<void>,
): Promise<number> {
  const begin = performance.now() + warmMs
  const end = begin + seconds * 1_000
  let done = 0
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < end) {
        await work(next++)
        if (performance.now() > begin) done++
      }
    }),
  )
  return (done * 1_000) / (performance.now() - begin)
}
