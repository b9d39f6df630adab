import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { modeOfChain } from '../../../apps/server/src/access/keys/api-key.ts'
import { createSubscription } from '../../../apps/server/src/access/keys/create-subscription.ts'
import { systemClock } from '../../../apps/server/src/kernel/clock.ts'
import { systemRandom } from '../../../apps/server/src/kernel/random.ts'
import { insertReceipts } from '../../../apps/server/src/receipts/making/insert-receipts.ts'
import { findReceipt } from '../../../apps/server/src/receipts/store.ts'
import type { Bench } from '../open-bench.ts'
import { settleDatabase } from '../settle-database.ts'

/** What each of the merchants has who are not asked, and each of those who are. */
const receiptsOf = { other: 10, asked: 1_000 } as const
const askedCount = 32
const atOnce = 500

/** Adds receipts of so many merchants. @returns The bench as callers of some of them see it, each with a key of his own. */
export async function fillMerchants(bench: Bench, merchants: number): Promise<Bench> {
  const { db, secrets } = bench
  const sample = await findReceipt(db, bench.merchant, bench.id)
  if (!sample) throw new Error('the receipt that others are made after is gone')
  const places = Array.from({ length: merchants }, (_, i) => i).flatMap((i) => {
    const count = i < askedCount ? receiptsOf.asked : receiptsOf.other
    return Array.from({ length: count }, (_, n) => ({
      merchant: merchantOf(i),
      id: `order-${n + 1}` as ReceiptId,
    }))
  })
  for (let from = 0; from < places.length; from += atOnce) {
    const part = places.slice(from, from + atOnce)
    await insertReceipts(
      db,
      part.map((place) => ({ ...sample, ...place })),
    )
  }
  await settleDatabase(bench.databaseUrl)
  const needs = { db, secrets, clock: systemClock, random: systemRandom }
  const keys: string[] = []
  for (let i = 0; i < askedCount; i++) {
    const subscription = { name: `bench ${i}`, mode: modeOfChain(bench.chainId) }
    keys.push((await createSubscription(needs, merchantOf(i), subscription)).primaryKey)
  }
  return { ...bench, keys, count: receiptsOf.asked }
}

function merchantOf(i: number): Wallet {
  const wallet = parseWallet(`0xab${i.toString(16).padStart(38, '0')}`)
  if (!wallet) throw new Error(`there is no merchant ${i}`)
  return wallet
}
