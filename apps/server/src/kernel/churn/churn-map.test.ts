import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ChurnMap } from './churn-map.ts'

const url = JSON.stringify(new URL('churn-map.ts', import.meta.url).href)

/** By how many megabytes old data grows at most while 60 MB come and go, three at a time, in a process of its own. */
function growthOf(map: string): number {
  const program = `
    const { getHeapSpaceStatistics } = await import('node:v8')
    const { ChurnMap } = await import(${url})
    const old = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_used_size
    const map = ${map}
    map.set(-1, {})
    gc()
    map.delete(-1)
    const before = old()
    let most = before
    for (let i = 0; i < 60_000; i++) {
      map.set(i, new Array(125).fill(i))
      map.delete(i - 3)
      if (i % 500 === 0) most = Math.max(most, old())
    }
    console.log((most - before) / 2 ** 20)`
  // Else V8 guesses that what outlives two collections here always does, and puts it among old data at once.
  const options = ['--expose-gc', '--no-allocation-site-pretenuring', '--max-semi-space-size=4']
  return Number(
    execFileSync(process.execPath, [...options, '--input-type=module', '-e', program], { timeout: 60_000 }),
  )
}

test('what has come and gone is not held by a table that it stood in', () => {
  expect(growthOf('new Map()')).toBeGreaterThan(4)
  expect(growthOf('new ChurnMap()')).toBeLessThan(2)
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
