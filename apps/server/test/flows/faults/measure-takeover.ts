import { setTimeout as pause } from 'node:timers/promises'
import type { Fault, Replica } from '../../support/kill/replica.ts'
import type { Shop } from '../../support/kill/shop.ts'
import { measureOwnMs } from '../../support/programs/waited-for-processor.ts'

export type Seat = 'keeper' | 'watcher' | 'deliveries'

/**
 * The takeover of a seat whose holder had a fault. The duration excludes the time that other replicas waited
 * for a CPU.
 */
export type Takeover = {
  readonly fault: Fault
  readonly seat: Seat
  readonly ms: number
  /** Whether another replica was healthy the whole time and could take the seat. */
  readonly isEvaluated: boolean
}

/** Limit in milliseconds. A longer takeover counts as this long. */
const giveUpMs = 40_000

type Standing = {
  readonly now: bigint
  readonly keeper: boolean
  readonly deliveries: bigint
  readonly block: bigint
}

/**
 * Injects a fault and waits until other replicas hold the seats. Omits seats that the healed replica gets
 * back first.
 */
export async function measureTakeover(
  { shop: { db }, replicas }: { shop: Pick<Shop, 'db'>; replicas: readonly Replica[] },
  replica: Replica,
  fault: Fault,
): Promise<Takeover[]> {
  const holder = replica.holderPrefix()
  const others = replicas.filter((each) => each !== replica)
  const isWell = watchWell(others)
  const waited = measureOwnMs(others.map(({ pid }) => pid))
  const startedAt = performance.now()
  const look = () => db.row<Standing>({ name: '', text: standing }, [holder])
  replica.harm(fault)
  const before = await look()
  if (!before) return []
  const open = new Set<Seat>(['watcher'])
  if (before.keeper) open.add('keeper')
  if (before.deliveries > 0n) open.add('deliveries')
  const found: Takeover[] = []
  for (;;) {
    const now = await look()
    if (!now) return found
    const inLineMs = performance.now() - startedAt - waited()
    const ms = Math.max(0, Math.round(Number(now.now - before.now) - inLineMs))
    const isEvaluated = isWell()
    for (const seat of [...open]) {
      if (!isTaken(seat, before, now) && ms < giveUpMs) continue
      open.delete(seat)
      found.push({ fault, seat, ms, isEvaluated })
    }
    if (open.size === 0) return found
    if (!replica.isFaulty || replica.holderPrefix() !== holder) {
      if (fault !== 'kill') return found
    }
    await pause(50)
  }
}

function watchWell(others: readonly Replica[]): () => boolean {
  const at = performance.now()
  const well = others
    .map((each) => ({ each, since: each.wellSince }))
    .filter(({ since }) => since !== undefined && since < at)
  return () => well.some(({ each, since }) => each.wellSince === since)
}

function isTaken(seat: Seat, before: Standing, now: Standing): boolean {
  if (seat === 'watcher') return now.block > before.block
  if (seat === 'keeper') return !now.keeper
  return now[seat] === 0n
}

export function describeTakeovers(takeovers: readonly Takeover[]): string[] {
  const nameOf = ({ fault, seat, isEvaluated }: Takeover) =>
    `${fault.padEnd(7)} ${seat.padEnd(11)} ${(isEvaluated ? '' : 'nobody else well').padEnd(17)}`
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
  (SELECT count(*) FROM outbox_message WHERE state = 'pending' AND starts_with(claim_token, $1)) AS deliveries,
  (SELECT number FROM chain_cursor WHERE name = 'transfers') AS block`
