import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { wrapDatabase } from '../../../test/support/database/wrap-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { forAll } from '../../../test/support/test-random.ts'
import { laneCount, laneOf } from '../../platform/jobs/lane.ts'
import { usualTimings } from '../../platform/jobs/timings.ts'
import { Lanes, shareLanes } from './lanes.ts'

type Leases = Map<string, string>

/** One renewal of one process, alone in its moment. */
function renew(leases: Leases, holder: string): void {
  const held = [...leases].map(([name, by]) => ({ name, holder: by }))
  const { claim, giveBack } = shareLanes(held, holder)
  for (const lane of giveBack) leases.delete(`webhooks/lane/${lane}`)
  leases.set(`webhooks/process/${holder}`, holder)
  for (const lane of claim) {
    const name = `webhooks/lane/${lane}`
    if (!leases.has(name) || leases.get(name) === holder) leases.set(name, holder)
  }
}

function shares(leases: Leases): number[] {
  const lanes = [...leases].filter(([name]) => name.startsWith('webhooks/lane/'))
  return [...Map.groupBy(lanes, ([, holder]) => holder).values()].map((own) => own.length).toSorted()
}

test('a process alone has all lanes', () => {
  const leases: Leases = new Map()
  renew(leases, 'one')
  expect(shares(leases)).toEqual([laneCount])
})

test('processes that come and go end with even shares of all lanes', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
  forAll(fc.array(fc.tuple(name, fc.boolean()), { maxLength: 20 }), (events) => {
    const leases: Leases = new Map()
    const alive = new Set(['z'])
    for (const [process, comes] of events) {
      if (comes) alive.add(process)
      else if (alive.delete(process))
        for (const [lease, holder] of [...leases]) if (holder === process) leases.delete(lease)
      for (const one of alive) renew(leases, one)
    }
    for (let round = 0; round < 3; round++) for (const one of alive) renew(leases, one)
    const sizes = shares(leases)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(laneCount)
    expect(sizes).toHaveLength(alive.size)
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
  })
})

test('a merchant is always in the same lane, and merchants spread over all of them', () => {
  const lanes = Array.from({ length: 2_000 }, (_, i) => laneOf(`0x${i.toString(16).padStart(40, '0')}`))
  expect(new Set(lanes).size).toBe(laneCount)
  expect(Math.max(...lanes)).toBe(laneCount - 1)
  expect(laneOf('0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70')).toBe(49)
})

const database = perFile(makeTestDatabase)

test('a process frees the claims of one whose lease has ended, and never its own', async () => {
  const clock = new TestClock()
  let freed = false
  const db = wrapDatabase(database.pool, (statement, run) => {
    freed ||= statement.name === 'drop-lapsed-leases'
    return run()
  })
  const lanesOf = (holder: string) => new Lanes({ db, clock, timings: usualTimings }, holder)
  const [late, other] = [lanesOf('late'), lanesOf('other')]
  await late.hold()
  const text = "UPDATE lease SET held_until = now() - interval '1 minute'"
  await database.pool.run({ name: '', text })
  clock.jumpTo(clock.now() + 60_000)
  await late.hold()
  expect(freed).toBe(false)

  await database.pool.run({ name: '', text })
  await other.hold()
  expect(freed).toBe(true)
})
