import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

const ofTexts = (maxBytes: number) => new BoundedMap<string>(maxBytes, (text) => text.length)

test('never takes more than its bytes, whatever is put into it', () => {
  const map = ofTexts(10_000)
  for (let i = 0; i < 1_000; i++) {
    map.set(`key ${i % 300}`, 'x'.repeat(i))
    expect(map.bytes).toBeLessThanOrEqual(10_000)
  }
  expect(map.size).toBeGreaterThan(0)
  map.clear()
  expect([map.bytes, map.size]).toEqual([0, 0])
})

test('what was not used for longest goes first', () => {
  const map = ofTexts(800)
  for (const key of ['a', 'b', 'c']) map.set(key, 'x')
  map.get('a')
  map.peek('b')
  map.set('d', 'x')
  expect(['a', 'b', 'c', 'd'].map((key) => map.peek(key))).toEqual(['x', undefined, 'x', 'x'])
})

test('what is larger than all of it is not kept, and nothing goes for it', () => {
  const map = ofTexts(1_000)
  map.set('a', 'x')
  map.set('b', 'x'.repeat(2_000))
  expect([map.peek('a'), map.peek('b')]).toEqual(['x', undefined])
})

test('what is let go of takes no room', () => {
  const map = ofTexts(1_000)
  for (const text of ['x', 'y', 'xx']) map.set(text, text)
  map.deleteWhere((text) => text.startsWith('x'))
  expect(['x', 'y', 'xx'].map((key) => map.peek(key))).toEqual([undefined, 'y', undefined])
  const alone = ofTexts(1_000)
  alone.set('y', 'y')
  expect(map.bytes).toBe(alone.bytes)
})

test('a value in place of another counts once', () => {
  const map = ofTexts(1_000)
  map.set('a', 'x'.repeat(100))
  const { bytes } = map
  map.set('a', 'y'.repeat(100))
  expect([map.bytes, map.peek('a')]).toEqual([bytes, 'y'.repeat(100)])
})

test('what is used again and again after something had to go leaves nothing behind', () => {
  const map = new BoundedMap<number>(1_000_000, () => 8)
  for (let i = 0; i < 10_000; i++) map.set(`key ${i}`, i)
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  const keys = Array.from({ length: 4_000 }, (_, i) => `key ${9_999 - i}`)
  for (let i = 0; i < 100; i++) for (const key of keys) map.get(key)
  expect(map.size).toBeLessThan(10_000)
  expect(used() - before).toBeLessThan(4 * 2 ** 20)
})

function collect(): void {
  setFlagsFromString('--expose-gc')
  const gc: NodeJS.GCFunction = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  gc()
}
