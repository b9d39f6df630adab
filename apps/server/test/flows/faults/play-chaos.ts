import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../../src/kernel/random.ts'
import type { SoldRun } from '../../support/kill/check-sales.ts'
import type { Fault, Replica } from '../../support/kill/replica.ts'
import { payFor, type Sale, waitForEnd } from '../../support/kill/sale.ts'
import type { Shop } from '../../support/kill/shop.ts'
import type { ChaosStand } from '../../support/kill/stand.ts'
import { measureTakeover, type Takeover } from './measure-takeover.ts'

export type ChaosRun = SoldRun & {
  readonly takeovers: readonly Takeover[]
  readonly faults: readonly Fault[]
}

const buyersAtOnce = 3
/**
 * Maximum duration of a fault in milliseconds. In a long run, a fault can outlast the claim on a delivery.
 */
const longestHarmMs = 22_000

/**
 * Sells for `forMs` while replicas are frozen, killed and cut off in random order, never all at once. Then
 * heals all replicas and waits until no work is left.
 */
export async function playChaos(
  stand: ChaosStand,
  { forMs, random }: { forMs: number; random: Random },
): Promise<ChaosRun> {
  const { replicas, shop } = stand
  const longestMs = Math.min(longestHarmMs, forMs / 5)
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
      await pause(within(random, [200, longestMs / 2]))
      const well = replicas.filter(({ isFaulty }) => !isFaulty)
      const replica = well[draw(random, well.length)]
      if (well.length < 2 || !replica) continue
      const fault = (['freeze', 'kill', 'cut'] as const)[draw(random, 3)] ?? 'kill'
      faults.push(fault)
      harmed.push(harm(stand, replica, fault, within(random, [500, longestMs])))
    }
  })()
  const parts = [...selling, creating, harming]
  for (const part of parts)
    part.catch(() => {
      hasFailed = true
    })
  await Promise.allSettled(parts)
  await Promise.allSettled(harmed)
  await Promise.all(parts)
  const takeovers = (await Promise.all(harmed)).flat()
  await waitForEnd(shop, sales)
  return { sales, acknowledged, takeovers, faults }
}

async function harm(stand: ChaosStand, replica: Replica, fault: Fault, forMs: number): Promise<Takeover[]> {
  const measured = measureTakeover(stand, replica, fault)
  await pause(forMs)
  await replica.heal()
  return measured
}

async function sellOn(shop: Shop, lane: number, isOver: () => boolean, sold: string[]): Promise<void> {
  for (let count = 0; !isOver(); count++) {
    const sale: Sale = {
      id: `chaos-${lane}-${count}`,
      token: (lane + count) % 2 === 0 ? 'USDC' : 'ETH',
      // A buyer who pays by call approves the split for one amount at a time.
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
    const response = await shop.client.createReceipt(request)
    assert.equal(response.id, id, 'the answer is to what was asked')
    known.set(id, totalUsd)
    await pause(50)
  }
}

function within(random: Random, [from, to]: readonly [number, number]): number {
  return from + draw(random, 1 + draw(random, Math.max(1, to - from)))
}

function draw(random: Random, count: number): number {
  const [a = 0, b = 0, c = 0] = random.bytes(3)
  return Math.floor(((a * 65_536 + b * 256 + c) / 16_777_216) * count)
}
