import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, inject, test, vi } from 'vitest'
import { DatastoreAway } from '../../../src/platform/database/degraded.ts'
import type { DueDelivery } from '../../../src/webhooks/queued-delivery.ts'
import { claimDeliveries } from '../../../src/webhooks/store.ts'
import { openMachines } from '../../support/database/machines.ts'
import { makeTestDatabase, workerUrls } from '../../support/database/test-database.ts'
import { findHarm } from '../../support/kill/judge-sales.ts'
import { openChaosStand } from '../../support/kill/stand.ts'
import { perFile } from '../../support/per-file.ts'
import { seededRandom } from '../../support/test-random.ts'
import { findWorker } from './cluster-worker.ts'
import { describeTakeovers } from './measure-takeover.ts'
import { playChaos } from './play-chaos.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** How long replicas are harmed, and in which order: `npm run chaos` says more. */
    chaos: { readonly forMs: number; readonly seed: number; readonly harmsWorkers?: boolean }
  }
}

const { forMs, seed, harmsWorkers = false } = inject('chaos')
vi.setConfig({ testTimeout: forMs + 600_000, hookTimeout: 300_000 })

const stand = perFile(() => openChaosStand(3, harmsWorkers))
const cluster = perFile(async () => {
  const workers = harmsWorkers ? await Promise.all(workerUrls().map(findWorker)) : []
  return { workers, stop: () => Promise.all(workers.map((worker) => worker.heal())) }
})

test('three replicas that are frozen, killed and cut off lose, double and strand nothing, and are replaced within 15 s', async () => {
  console.log(`chaos for ${forMs / 1_000} s, CHAOS_SEED=${seed}`)
  const { replicas, shop } = stand
  const { workers } = cluster
  try {
    const run = await playChaos({ ...stand, replicas, shop, workers }, { forMs, random: seededRandom(seed) })
    const keys = shop.receiver.received.map(
      ({ body }) => (JSON.parse(body.toString()) as { idempotencyKey: string }).idempotencyKey,
    )
    console.log(
      [
        `${run.sales.length} sales, ${run.acknowledged.size} other receipts, ${describeFaults(run.faults)}`,
        `${keys.length} webhooks came in, ${keys.length - new Set(keys).size} of them again`,
        ...describeTakeovers(run.takeovers),
      ].join('\n'),
    )
    expect(await findHarm(shop, run)).toEqual([])
    expect(run.takeovers.filter(({ ms, isJudged }) => isJudged && ms > 15_000)).toEqual([])
  } catch (error) {
    for (const { name, said } of replicas) console.log(`--- ${name}\n${said().slice(-6_000)}`)
    throw error
  }
})

test.skipIf(!harmsWorkers)(
  'a worker that stands still, and claims of webhooks on it that never end, keep no claim on the others waiting',
  async () => {
    const { pool, drop } = await makeTestDatabase()
    const { placeOf } = await openMachines(pool)
    const [worker] = cluster.workers
    const harmed = await pool.row<{ place: string }>({
      name: '',
      text: `SELECT groupid::text AS place FROM pg_dist_node WHERE nodeport = ${new URL(workerUrls()[0] ?? '').port}`,
    })
    const due: DueDelivery[] = []
    const there: DueDelivery[] = []
    for (let i = 0; i < 40; i++) {
      const notice = { merchant: `0x${i}`, id: 'a', host: '', nextAt: 0 as UnixMs, cycle: 0, place: 1 }
      due.push(notice)
      if ((await placeOf(notice.merchant)) !== harmed?.place) there.push(notice)
    }
    const claim = { now: 1 as UnixMs, until: 2 as UnixMs, token: 'nobody:1', isSpread: true }
    // Over connections that are open: what was sent on them is what cannot be ended.
    await claimDeliveries(pool, due, claim)
    await worker?.harm('freeze')
    try {
      await expect(claimDeliveries(pool, due, claim)).rejects.toThrow(DatastoreAway)
      expect(await claimDeliveries(pool, there, claim)).toEqual([])
    } finally {
      await worker?.heal()
      await drop()
    }
  },
)

/** How many there were of each. */
function describeFaults(faults: readonly string[]): string {
  const counts = [...Map.groupBy(faults, (fault) => fault)].map(([fault, { length }]) => `${length} ${fault}`)
  return `${faults.length} faults (${counts.toSorted().join(', ')})`
}
