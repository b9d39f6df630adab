import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { type LoadRequest, runLoad } from '../../../../scripts/bench/load.ts'
import { createSubscription } from '../../src/access/keys/create-subscription.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { systemRandom } from '../../src/kernel/random.ts'
import { ensureMerchant } from '../../src/merchants/merchant-store.ts'
import { Pool } from '../../src/platform/database/database.ts'
import { makeLog } from '../../src/platform/log.ts'
import { Secrets } from '../../src/platform/secrets.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { newWallet } from '../support/api/sessions.ts'
import { callerOf, type SeededService, spawnSeeded } from '../support/kill/seeded.ts'
import { registerSecrets } from '../support/secrets/secret-register.ts'

const seconds = 10
const keyCounts = [1, 10, 100] as const
/** Smallest accepted share of the merchant with one key, in percent. */
const mark = 45

/** Benchmark that `npm run bench:share` runs. */
test('the shares of two merchants are measured', { timeout: 600_000 }, async () => {
  const service = await spawnSeeded()
  const { baseUrl: url, subscriptionKey } = service.local
  const others = await addKeys(service)
  for (const key of [subscriptionKey, ...others.slice(0, 1)])
    await callerOf(service.local)('POST', '/api/receipts', { key, body: receiptBody('shared') })
  const load = (keys: readonly string[]) => runLoad({ url, seconds, next: readWith(keys) })
  // Verifies every key once, and lets V8 compile the hot code.
  await load([subscriptionKey, ...others])
  const alone = await load([subscriptionKey])
  print(`one merchant alone: ${alone.perSecond.toFixed(0)} reads/s`)
  for (const count of keyCounts) {
    const [one, other] = await Promise.all([load([subscriptionKey]), load(others.slice(0, count))])
    const both = one.perSecond + other.perSecond
    const share = (100 * one.perSecond) / both
    print(
      `${share >= mark ? 'kept  ' : 'MISSED'} one key against ${count} of another merchant: ${share.toFixed(1)} % of ` +
        `${both.toFixed(0)} reads/s (mark ${mark} %); load ${loadavg()[0]?.toFixed(1)}`,
    )
  }
  await service.stop()
})

/** Creates a merchant with the 100 keys that a merchant can have. */
async function addKeys({ local, data }: SeededService): Promise<string[]> {
  const masterKey = readFileSync(join(data.dataDir, 'master.key'), 'utf8').trim()
  const db = new Pool({ url: local.databaseUrl, max: 1, log: makeLog('silent') })
  const secrets = new Secrets(masterKey, systemRandom)
  const needs = { db, clock: systemClock, random: systemRandom, secrets }
  const { wallet } = newWallet()
  await ensureMerchant(needs, wallet, 'Other')
  const keys: string[] = []
  for (let i = 0; keys.length < Math.max(...keyCounts); i++) {
    const made = await createSubscription(needs, wallet, { name: `Key ${i}`, mode: 'test' })
    keys.push(made.primaryKey, made.secondaryKey)
  }
  registerSecrets(...keys)
  await db.close()
  return keys
}

function readWith(keys: readonly string[]): () => LoadRequest {
  let n = 0
  return () => {
    const key = keys[n++ % keys.length] ?? ''
    return { method: 'GET', path: '/api/receipts/shared', headers: { 'ocp-apim-subscription-key': key } }
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
