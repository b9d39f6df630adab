import { expect, test } from 'vitest'
import { ownBytes } from './own-bytes.ts'

test('bytes that share a block of memory are copied out of it', () => {
  const shared = Buffer.from('a short answer')
  expect(shared.buffer.byteLength).toBeGreaterThan(shared.byteLength)
  const own = ownBytes(shared)
  expect(own.toString()).toBe('a short answer')
  expect(own.buffer.byteLength).toBe(own.byteLength)
})

test('bytes that have their memory to themselves are not copied', () => {
  const long = Buffer.from('x'.repeat(100_000))
  expect(ownBytes(long).buffer).toBe(long.buffer)
})
