import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ChurnMap } from './churn-map.ts'

const megabyte = 2 ** 20

/** Collects everything; what lives is old from then on. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  const gc: NodeJS.GCFunction = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  gc()
}

/** By how many megabytes old data grows while 60 MB come and go, three at a time. */
function growthOf(map: { set(key: number, value: unknown): unknown; delete(key: number): boolean }): number {
  const old = () =>
    getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')?.space_used_size ?? 0
  map.set(-1, {})
  collect()
  map.delete(-1)
  const before = old()
  for (let i = 0; i < 60_000; i++) {
    map.set(i, new Array(125).fill(i))
    map.delete(i - 3)
  }
  return (old() - before) / megabyte
}

test('what has come and gone is not held by a table that it stood in', () => {
  expect(growthOf(new Map())).toBeGreaterThan(5)
  expect(growthOf(new ChurnMap())).toBeLessThan(2)
})

test('reads as what was set last and not deleted, whenever it is made anew', () => {
  const [map, plain] = [new ChurnMap<number, number>(), new Map<number, number>()]
  for (let i = 0; i < 2_000; i++) {
    const key = (i * 7_919) % 331
    if (i % 3 === 0) expect(map.delete(key)).toBe(plain.delete(key))
    else {
      map.set(key, i)
      plain.set(key, i)
    }
    expect([map.size, map.get(key)]).toEqual([plain.size, plain.get(key)])
  }
  expect(map.entries()).toEqual([...plain])
  map.clear()
  expect([map.size, map.entries(), map.shift()]).toEqual([0, [], undefined])
})

test('gives what has stood in it for longest, also of many that came and went between', () => {
  const map = new ChurnMap<number, string>()
  for (let i = 0; i < 500; i++) map.set(i, `value ${i}`)
  expect(map.shift()).toEqual([0, 'value 0'])
  for (let i = 1; i < 300; i++) map.delete(i)
  map.delete(300)
  map.set(300, 'again')
  expect([map.shift()?.[0], map.shift()?.[0]]).toEqual([301, 302])
  for (let i = 303; i < 500; i++) expect(map.shift()?.[0]).toBe(i)
  expect([map.shift(), map.shift(), map.size]).toEqual([[300, 'again'], undefined, 0])
  map.set(7, 'later')
  expect(map.shift()).toEqual([7, 'later'])
})
