import { expect, inject, test, vi } from 'vitest'
import { findHarm } from '../../support/kill/check-sales.ts'
import { openChaosStand } from '../../support/kill/stand.ts'
import { perFile } from '../../support/per-file.ts'
import { seededRandom } from '../../support/test-random.ts'
import { describeTakeovers } from './measure-takeover.ts'
import { playChaos } from './play-chaos.ts'

declare module 'vitest' {
  interface ProvidedContext {
    chaos: { readonly forMs: number; readonly seed: number }
  }
}

const { forMs, seed } = inject('chaos')
vi.setConfig({ testTimeout: forMs + 600_000, hookTimeout: 300_000 })

const stand = perFile(() => openChaosStand(3))
test('three replicas that are frozen, killed and cut off lose, double and strand nothing, and are replaced within 15 s', async () => {
  console.log(`chaos for ${forMs / 1_000} s, CHAOS_SEED=${seed}`)
  const { replicas, shop } = stand
  try {
    const run = await playChaos(stand, { forMs, random: seededRandom(seed) })
    const keys = shop.receiver.received.map(
      ({ body }) => (JSON.parse(body.toString()) as { idempotencyKey: string }).idempotencyKey,
    )
    console.log(
      [
        `${run.sales.length} sales, ${run.acknowledged.size} other receipts, ${describeErrors(run.faults)}`,
        `${await countChanges(shop)} status changes of receipts with a webhook URL`,
        `${keys.length} webhooks came in, ${keys.length - new Set(keys).size} of them again`,
        ...describeTakeovers(run.takeovers),
      ].join('\n'),
    )
    expect(await findHarm(shop, run)).toEqual([])
    expect(run.takeovers.filter(({ ms, isEvaluated }) => isEvaluated && ms > 15_000)).toEqual([])
  } catch (error) {
    for (const { name, said } of replicas) console.log(`--- ${name}\n${said().slice(-6_000)}`)
    throw error
  }
})

async function countChanges({ db }: typeof stand.shop): Promise<bigint> {
  const text = `SELECT count(*) AS count FROM receipt_history h
    JOIN receipt r ON r.merchant = h.merchant AND r.id = h.receipt_id
    WHERE h.kind = 'status' AND r.webhook_url IS NOT NULL`
  return (await db.row<{ count: bigint }>({ name: '', text }))?.count ?? 0n
}

function describeErrors(faults: readonly string[]): string {
  const counts = [...Map.groupBy(faults, (fault) => fault)].map(([fault, { length }]) => `${length} ${fault}`)
  return `${faults.length} faults (${counts.toSorted().join(', ')})`
}
