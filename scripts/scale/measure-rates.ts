import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { systemClock } from '../../apps/server/src/kernel/clock.ts'
import { systemRandom } from '../../apps/server/src/kernel/random.ts'
import { Pool } from '../../apps/server/src/platform/database/database.ts'
import { makeLog } from '../../apps/server/src/platform/log.ts'
import { ReceiptBatches } from '../../apps/server/src/receipts/making/receipt-batches.ts'
import type { Receipt } from '../../apps/server/src/receipts/receipt.ts'
import { findReceipt } from '../../apps/server/src/receipts/store.ts'
import { listReceiptsPage } from '../../apps/server/src/receipts/viewing/list-page.ts'
import { enqueueDelivery } from '../../apps/server/src/webhooks/enqueue-delivery.ts'
import { claimDeliveries, recordAttempt, settleDelivery } from '../../apps/server/src/webhooks/store.ts'
import { fillReceipts } from '../bench/fill-receipts.ts'

/** What is measured. */
export const rateNames = ['create', 'read', 'list', 'webhook'] as const

export type RateName = (typeof rateNames)[number]

/** So many that each of two workers has half of them: by their hashes, 38 of the first 64 are on one. */
const merchants = Array.from(
  { length: 1_024 },
  (_, i) => parseWallet(`0x${(i + 1).toString(16).padStart(40, '0')}`) as Wallet,
)
const connections = 32
/** Requests that create come together in batches: so many are under way at once that two workers have theirs full. */
const creating = 1_024
const chainId = 31337

/** A database whose rates are measured, with connections that are kept. */
export type RateMeter = {
  /** How often a second, by what the service itself does there, over many merchants in turns. */
  measure(name: RateName, seconds: number): Promise<number>
  close(): Promise<void>
}

/** Opens a database with the schema. */
export async function openRates(url: string): Promise<RateMeter> {
  const db = new Pool({ url, max: connections, log: makeLog('error') })
  const sample = await makeSample(db)
  const batches = new ReceiptBatches({ db, clock: systemClock })
  const listing = { db, site: { chainId }, deadlines: systemClock }
  const ids: { merchant: Wallet; id: ReceiptId }[] = []
  const merchantOf = (n: number) => merchants[n % merchants.length] as Wallet
  let next = 0
  const works: Readonly<Record<RateName, (n: number) => Promise<void>>> = {
    async create(n) {
      const [merchant, id] = [merchantOf(n), `rate-${n}` as ReceiptId]
      await batches.insert({ ...sample, merchant, id })
      ids.push({ merchant, id })
    },
    async read(n) {
      const known = ids[(n * 7919) % ids.length]
      if (known) await findReceipt(db, known.merchant, known.id)
    },
    list: async (n) => void (await listReceiptsPage(listing, merchantOf(n), { limit: '20' })),
    webhook: (n) => deliver(db, merchantOf(n), `rate-${n}`),
  }
  return {
    async measure(name, seconds) {
      const begin = performance.now()
      const end = begin + seconds * 1_000
      let done = 0
      const keepDoing = async () => {
        while (performance.now() < end) {
          await works[name](next++)
          done++
        }
      }
      const atOnce = name === 'create' ? creating : connections
      await Promise.all(Array.from({ length: atOnce }, keepDoing))
      return (done * 1_000) / (performance.now() - begin)
    },
    close: () => db.close(),
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
  const due = [{ merchant, id, host: 'shop.example', nextAt: now, cycle: 0, place: 1 }]
  const [claimed] = await claimDeliveries(db, due, { now, until: now, token: 'rate:1', isSpread: true })
  if (!claimed) throw new Error('a webhook was not claimed')
  await db.transaction(async (tx) => {
    const change = { state: 'delivered', attemptCount: 1, at: now } as const
    if (await settleDelivery(tx, claimed, change))
      await recordAttempt(tx, claimed, { startedAt: now, endedAt: now, status: 200, fault: undefined })
  })
}
