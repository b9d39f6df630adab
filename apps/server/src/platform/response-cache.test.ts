import { expect, test } from 'vitest'
import { ResponseCache } from './response-cache.ts'

const room = { bytes: 10_000, ownerBytes: 4_000 }
const response = (bytes: number) => JSON.stringify('x'.repeat(bytes / 2 - 2))

test('are bounded in bytes, however many and however long', () => {
  const responses = new ResponseCache(room)
  for (let i = 0; i < 500; i++) {
    responses.memoize(`owner ${i % 7}`, `key ${i}`, response(4 + ((i * 37) % 5_000)))
    expect(responses.bytes).toBeLessThanOrEqual(room.bytes)
  }
})

test("an owner's own go before another's", () => {
  const responses = new ResponseCache(room)
  responses.memoize('quiet', 'list', response(500))
  for (let i = 0; i < 100; i++) responses.memoize('loud', `page ${i}`, response(1_000))
  expect(responses.find('quiet', 'list')).toBe(response(500))
  expect(responses.find('loud', 'page 0')).toBeUndefined()
  expect(responses.find('loud', 'page 99')).toBe(response(1_000))
})

test('one that is too long is not kept, and one remembered again replaces the one before', () => {
  const responses = new ResponseCache(room)
  responses.memoize('a', 'list', '{"n":1}')
  responses.memoize('a', 'long', response(5_000))
  expect(responses.find('a', 'long')).toBeUndefined()
  responses.memoize('a', 'list', '{"n":2}')
  expect(responses.find('a', 'list')).toBe('{"n":2}')
  expect(responses.find('b', 'list')).toBeUndefined()
})
