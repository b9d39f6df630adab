import { expect, test } from 'vitest'
import { ResponseBody } from './send-request.ts'

test('a body that comes byte by byte costs no more than twice its size', () => {
  const size = 1 << 20
  const body = new ResponseBody(4 * size)
  const chunk = Buffer.alloc(1)
  const before = process.memoryUsage()
  for (let i = 0; i < size; i++) {
    chunk[0] = i % 251
    body.append(chunk)
  }
  const after = process.memoryUsage()
  // One buffer per piece would take 100 MB. The limit leaves room for the rest of the process.
  expect(after.heapUsed - before.heapUsed).toBeLessThan(30 * size)
  const bytes = body.bytes()
  expect(bytes.buffer.byteLength).toBeLessThanOrEqual(2 * size)
  expect(bytes.every((byte, i) => byte === i % 251)).toBe(true)
  expect(bytes.byteLength).toBe(size)
})

test('no more than the limit is kept, in whatever pieces it comes', () => {
  for (const pieces of [[10], [9, 1], [11], [3, 3, 3, 3], [0, 10, 1], [1, 1, 1, 100]]) {
    const body = new ResponseBody(10)
    const wholes = pieces.map((length) => body.append(Buffer.alloc(length, 7)))
    const sum = pieces.reduce((total, length) => total + length, 0)
    expect(wholes.every(Boolean), String(pieces)).toBe(sum <= 10)
    expect([...body.bytes()]).toEqual(Array.from({ length: Math.min(10, sum) }, () => 7))
  }
})

test('a chunk may be overwritten once it was taken', () => {
  const body = new ResponseBody(10)
  const chunk = Buffer.from('one')
  body.append(chunk)
  chunk.fill('x')
  expect(String(body.bytes())).toBe('one')
})
