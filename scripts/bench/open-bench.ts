import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { modeOfChain } from '../../apps/server/src/access/keys/api-key.ts'
import { createSubscription } from '../../apps/server/src/access/keys/create-subscription.ts'
import { limitPerMinute } from '../../apps/server/src/access/rate-rules.ts'
import { systemClock } from '../../apps/server/src/kernel/clock.ts'
import { systemRandom } from '../../apps/server/src/kernel/random.ts'
import { Pool } from '../../apps/server/src/platform/database/database.ts'
import { makeLog } from '../../apps/server/src/platform/log.ts'
import { Secrets } from '../../apps/server/src/platform/secrets.ts'
import { settingsLike } from '../../apps/server/test/support/kill/service.ts'
import { startService } from '../run/running-service.ts'
import { repositoryRoot } from '../source/list-files.ts'
import { fillReceipts } from './fill-receipts.ts'
import { settleDatabase } from './settle-database.ts'
import { type LoadRequest, works } from './works.ts'

/** A service of its own with many receipts and keys, and its database, as it is measured. */
export type Bench = {
  readonly url: string
  readonly databaseUrl: string
  readonly db: Pool
  /** Of the service: what it is to decrypt is encrypted by these. */
  readonly secrets: Secrets
  /** What makes another process serve the same shop. */
  readonly settings: Readonly<Record<string, string>>
  readonly probePath: string
  readonly keys: readonly string[]
  /** How many requests like this one a key may send at once; absent where limits keep nobody away. */
  readonly perKey?: (request: LoadRequest) => number
  readonly chainId: number
  readonly merchant: Wallet
  /** A receipt as the load makes them. */
  readonly id: ReceiptId
  readonly count: number
  stop(): Promise<void>
}

const yearMs = 365 * 86_400_000
/** So high that nothing is refused, while every request is counted. */
const highScale = '10000'
const madeAtOnce = 8

/**
 * Starts it: keys, limits, request log and jobs are on, as in production; the log goes to a pipe.
 *
 * @param options.settings - Further settings of the service.
 * @param options.isLimited - Limits are as they are by default, so that there must be keys enough; else so high that none is met.
 */
export async function openBench(options: {
  count: number
  keyCount: number
  settings?: Readonly<Record<string, string>>
  isLimited?: boolean
}): Promise<Bench> {
  const { count, keyCount, settings, isLimited = false } = options
  const limitScale = isLimited ? '1' : highScale
  const folder = mkdtempSync(join(tmpdir(), 'sluice-probe-'))
  const probePath = join(folder, 'probe')
  const probe = pathToFileURL(join(repositoryRoot, 'scripts/bench/probe.mjs')).href
  const service = await startService({
    RATE_LIMIT_SCALE: limitScale,
    NODE_OPTIONS: `--import=${probe}`,
    BENCH_PROBE: probePath,
    ...settings,
  })
  const local = JSON.parse(readFileSync(join(service.dataDir, 'local.json'), 'utf8'))
  const databaseUrl: string = local.databaseUrl
  const db = new Pool({ url: databaseUrl, log: makeLog('error') })
  const stop = async () => {
    await db.close()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const merchant = parseWallet(service.merchant.address)
    if (!merchant) throw new Error('local.json names no merchant')
    const chainId: number = local.chainId
    await fillReceipts(db, { merchant, chainId, count, begin: Date.now() - yearMs, spanMs: yearMs })
    const masterKey = readFileSync(join(service.dataDir, 'master.key'), 'utf8').trim()
    const secrets = new Secrets(masterKey, systemRandom)
    const needs = { db, clock: systemClock, random: systemRandom, secrets }
    const keys: string[] = []
    const makeKeys = async () => {
      while (keys.length < keyCount) {
        const place = keys.push('') - 1
        const subscription = { name: `bench ${place}`, mode: modeOfChain(chainId) }
        keys[place] = (await createSubscription(needs, merchant, subscription)).primaryKey
      }
    }
    await Promise.all(Array.from({ length: madeAtOnce }, makeKeys))
    await settleDatabase(databaseUrl)
    const id = 'bench-sample' as ReceiptId
    const { body = '' } = works.create.request('bench', 0, count)
    const answer = await fetch(`${service.baseUrl}/api/receipts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': keys[0] ?? '' },
      body: JSON.stringify({ ...JSON.parse(body), id }),
    })
    if (answer.status !== 201) throw new Error(`no receipt was made: ${answer.status} ${await answer.text()}`)
    const alike = { ...(await settingsLike(local, service.dataDir)), RATE_LIMIT_SCALE: limitScale }
    const { baseUrl: url } = service
    return {
      url,
      databaseUrl,
      db,
      secrets,
      settings: alike,
      probePath,
      keys,
      ...(isLimited && { perKey }),
      chainId,
      merchant,
      id,
      count,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function perKey({ method }: LoadRequest): number {
  return method === 'GET' ? limitPerMinute.reads : limitPerMinute.writes
}
