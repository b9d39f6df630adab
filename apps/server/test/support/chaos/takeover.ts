import { setTimeout as pause } from 'node:timers/promises'
import type { Shop } from '../kill/shop.ts'
import { measureOwnMs } from '../programs/waited-for-processor.ts'
import type { Fault, Replica } from './replica.ts'

/** What a process may be alone in doing. */
export type Seat = 'keeper' | 'watcher' | 'lanes' | 'deliveries'

/**
 * How long a seat was empty after what happened to its holder, by the database's clock, less what those who could take it
 * stood in line for a processor.
 */
export type Takeover = {
  readonly fault: Fault
  readonly seat: Seat
  readonly ms: number
  /** Another one and the cluster's workers were well all the time, and for a while before; else nobody could take it. */
  readonly isJudged: boolean
}

/** What is well as long as nothing is done to it. */
type Healthy = { readonly wellSince: number | undefined }

/** Longer than any takeover may take; what is not taken over by then is told as that long. */
const giveUpMs = 40_000

/** One that was cut off has requests under way that nobody answers: it is well when they have been given up. */
const recoveryMs = 15_000

type Standing = {
  readonly now: bigint
  readonly keeper: boolean
  readonly lanes: bigint
  readonly deliveries: bigint
  readonly block: bigint
}

/**
 * Harms a replica and watches its seats until others have them; those that it gets back before that, since it was healed,
 * are left out.
 */
export async function measureTakeover(
  {
    shop: { db },
    replicas,
    workers,
  }: { shop: Pick<Shop, 'db'>; replicas: readonly Replica[]; workers: readonly Healthy[] },
  replica: Replica,
  fault: Fault,
): Promise<Takeover[]> {
  const holder = replica.holderPrefix()
  const isWell = watchWell(
    replicas.filter((each) => each !== replica),
    workers,
  )
  const waited = measureOwnMs(replicas.filter((each) => each !== replica).map(({ pid }) => pid))
  const startedAt = performance.now()
  const look = async () => {
    try {
      return await db.row<Standing>({ name: '', text: standing }, [holder])
    } catch (error) {
      // While a worker is harmed nobody knows who has what.
      if (workers.length > 0) return undefined
      throw error
    }
  }
  replica.harm(fault)
  const before = await look()
  if (!before) return []
  const open = new Set<Seat>(['watcher'])
  if (before.keeper) open.add('keeper')
  if (before.lanes > 0n) open.add('lanes')
  if (before.deliveries > 0n) open.add('deliveries')
  const found: Takeover[] = []
  for (;;) {
    const now = await look()
    if (!now) return found
    const inLineMs = performance.now() - startedAt - waited()
    const ms = Math.max(0, Math.round(Number(now.now - before.now) - inLineMs))
    const isJudged = isWell()
    for (const seat of [...open]) {
      if (!isTaken(seat, before, now) && ms < giveUpMs) continue
      open.delete(seat)
      found.push({ fault, seat, ms, isJudged })
    }
    if (open.size === 0) return found
    if (!replica.isFaulty || replica.holderPrefix() !== holder) {
      // A process that was killed never comes back to what it had; others do.
      if (fault !== 'kill') return found
    }
    await pause(50)
  }
}

/** Whether one of the others and all workers have been well without a break, so far. */
function watchWell(others: readonly Healthy[], workers: readonly Healthy[]): () => boolean {
  const at = performance.now()
  const findWell = (all: readonly Healthy[]) =>
    all
      .map((each) => ({ each, since: each.wellSince }))
      .filter(({ since }) => since !== undefined && since < at - recoveryMs)
  const [well, wellWorkers] = [findWell(others), findWell(workers)]
  const isStill = ({ each, since }: (typeof well)[number]) => each.wellSince === since
  return () => well.some(isStill) && wellWorkers.length === workers.length && wellWorkers.every(isStill)
}

function isTaken(seat: Seat, before: Standing, now: Standing): boolean {
  if (seat === 'watcher') return now.block > before.block
  if (seat === 'keeper') return !now.keeper
  return now[seat] === 0n
}

/** The slowest takeover of each seat after each fault, and how many there were: a line each. */
export function describeTakeovers(takeovers: readonly Takeover[]): string[] {
  const nameOf = ({ fault, seat, isJudged }: Takeover) =>
    `${fault.padEnd(7)} ${seat.padEnd(11)} ${(isJudged ? '' : 'nobody else well').padEnd(17)}`
  const groups = Map.groupBy(takeovers, nameOf)
  return [...groups].toSorted().map(([name, group]) => {
    const all = group.map(({ ms }) => ms).toSorted((a, b) => a - b)
    const middle = all[all.length >> 1]
    return `${name} ${String(all.length).padStart(4)} times, median ${middle} ms, slowest ${all.at(-1)} ms`
  })
}

const standing = `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now,
  EXISTS (SELECT 1 FROM lease WHERE starts_with(name, 'sender:') AND starts_with(holder, $1)
    AND held_until > clock_timestamp()) AS keeper,
  (SELECT count(*) FROM lease WHERE starts_with(name, 'webhooks/lane/') AND starts_with(holder, $1)) AS lanes,
  (SELECT count(*) FROM notice WHERE state = 'pending' AND starts_with(claim_token, $1)) AS deliveries,
  (SELECT number FROM chain_cursor WHERE name = 'transfers') AS block`
