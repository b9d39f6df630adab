import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../../src/kernel/random.ts'
import { payFor, type Sale, waitForEnd } from '../kill/sale.ts'
import type { Shop } from '../kill/shop.ts'
import type { Fault, Replica } from './replica.ts'
import type { ChaosStand } from './stand.ts'
import { measureTakeover, type Takeover } from './takeover.ts'
import type { WorkerFault } from './worker.ts'

/** What went on while replicas were harmed. */
export type ChaosRun = {
  /** Paid, each by one payment. */
  readonly sales: readonly string[]
  /** Created and never paid: what was answered. */
  readonly acknowledged: ReadonlyMap<string, number>
  readonly takeovers: readonly Takeover[]
  readonly faults: readonly (Fault | `worker-${WorkerFault}`)[]
}

const buyersAtOnce = 3
/** Longer than any lease or claim, and shorter than any. */
const harmMs = { freeze: [500, 22_000], cut: [1_000, 22_000], kill: [0, 8_000] } as const
const breakMs = [200, 9_000] as const
/** Longer than a statement may take, with whoever waits for what it holds, and shorter; between two of them work is done. */
const workerHarmMs = { freeze: [500, 30_000], kill: [0, 8_000] } as const
const workerBreakMs = [5_000, 45_000] as const

/**
 * Sells for `forMs` while replicas are frozen, killed and cut off in an order that `random` gives, never all of them at
 * once, and the workers of a cluster that is ours are frozen and killed, one at a time; then heals all and waits until
 * nothing is left to do.
 */
export async function playChaos(
  stand: ChaosStand,
  { forMs, random }: { forMs: number; random: Random },
): Promise<ChaosRun> {
  const { replicas, shop } = stand
  const endsAt = performance.now() + forMs
  let hasFailed = false
  const isOver = () => hasFailed || performance.now() > endsAt
  const sales: string[] = []
  const acknowledged = new Map<string, number>()
  const faults: ChaosRun['faults'][number][] = []
  const harmed: Promise<Takeover[]>[] = []
  const selling = Array.from({ length: buyersAtOnce }, (_, lane) => sellOn(shop, lane, isOver, sales))
  const creating = createOn(shop, isOver, acknowledged)
  const harming = (async () => {
    while (!isOver()) {
      await pause(within(random, breakMs))
      const well = replicas.filter(({ isFaulty }) => !isFaulty)
      const replica = well[draw(random, well.length)]
      if (well.length < 2 || !replica) continue
      const fault = (['freeze', 'kill', 'cut'] as const)[draw(random, 3)] ?? 'kill'
      faults.push(fault)
      harmed.push(harm(stand, replica, fault, within(random, harmMs[fault])))
    }
  })()
  const parts = [...selling, creating, harming, harmWorkers(stand, isOver, random, faults)]
  for (const part of parts)
    part.catch(() => {
      hasFailed = true
    })
  // Nothing goes on beyond the end, also where one has failed: the replicas are healed by then.
  await Promise.allSettled(parts)
  await Promise.allSettled(harmed)
  await Promise.all(parts)
  const takeovers = (await Promise.all(harmed)).flat()
  await waitForEnd(shop, sales)
  return { sales, acknowledged, takeovers, faults }
}

async function harmWorkers(
  { workers }: ChaosStand,
  isOver: () => boolean,
  random: Random,
  faults: ChaosRun['faults'][number][],
): Promise<void> {
  while (workers.length > 0 && !isOver()) {
    await pause(within(random, workerBreakMs))
    const worker = workers[draw(random, workers.length)]
    if (!worker || isOver()) return
    const fault = draw(random, 2) === 0 ? 'freeze' : 'kill'
    faults.push(`worker-${fault}`)
    await worker.harm(fault)
    await pause(within(random, workerHarmMs[fault]))
    await worker.heal()
  }
}

async function harm(stand: ChaosStand, replica: Replica, fault: Fault, forMs: number): Promise<Takeover[]> {
  const measured = measureTakeover(stand, replica, fault)
  await pause(forMs)
  await replica.heal()
  return measured
}

/** Sells one after the other; each is paid once, by one who does not know of any harm. */
async function sellOn(shop: Shop, lane: number, isOver: () => boolean, sold: string[]): Promise<void> {
  for (let count = 0; !isOver(); count++) {
    const sale: Sale = {
      id: `chaos-${lane}-${count}`,
      token: (lane + count) % 2 === 0 ? 'USDC' : 'ETH',
      // The buyer allows the split one amount at a time.
      way: lane === 0 ? 'call' : 'transfer',
      usd: 5 + lane,
    }
    await payFor(shop, sale)
    sold.push(sale.id)
  }
}

async function createOn(shop: Shop, isOver: () => boolean, known: Map<string, number>): Promise<void> {
  for (let count = 0; !isOver(); count++) {
    const id = `chaos-open-${count}`
    const totalUsd = 1 + (count % 50)
    const request = { id, lineItems: [{ label: 'Something', priceUsd: totalUsd }], totalUsd }
    const answer = await shop.client.createReceipt(request)
    assert.equal(answer.id, id, 'the answer is to what was asked')
    known.set(id, totalUsd)
    await pause(50)
  }
}

/** More often a short time than a long one. */
function within(random: Random, [from, to]: readonly [number, number]): number {
  return from + draw(random, 1 + draw(random, to - from))
}

function draw(random: Random, count: number): number {
  const [a = 0, b = 0, c = 0] = random.bytes(3)
  return Math.floor(((a * 65_536 + b * 256 + c) / 16_777_216) * count)
}
