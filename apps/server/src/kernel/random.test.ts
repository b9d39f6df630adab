import { expect, test } from 'vitest'
import { makePooledRandom } from './random.ts'

/** Draws 0, 1, 2, … as 32-bit numbers. */
function counted() {
  const draws: number[] = []
  let next = 0
  const random = makePooledRandom((byteCount) => {
    draws.push(byteCount)
    const numbers = Uint32Array.from({ length: Math.ceil(byteCount / 4) }, () => next++)
    return Buffer.from(numbers.buffer, 0, byteCount)
  })
  return { random, draws }
}

test('no byte of the generator is given twice, and what was given stays', () => {
  const { random, draws } = counted()
  const given = Array.from({ length: 3_000 }, () => random.bytes(4))
  const numbers = given.map((bytes) => Buffer.from(bytes).readUInt32LE(0))
  expect(numbers).toEqual(Array.from({ length: 3_000 }, (_, i) => i))
  expect(draws).toEqual([4_096, 4_096, 4_096])
})

test('what is long is drawn by itself', () => {
  const { random, draws } = counted()
  expect([random.bytes(65).length, random.bytes(64).length]).toEqual([65, 64])
  expect(draws).toEqual([65, 4_096])
})
