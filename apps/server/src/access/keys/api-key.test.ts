import { expect, test } from 'vitest'
import { systemRandom } from '../../kernel/random.ts'
import { hintOfApiKey, isApiKey, makeApiKey } from './api-key.ts'

test('a made key has the form of one, and one wrong sign is noticed without a look-up', () => {
  for (let i = 0; i < 50; i++) {
    const key = makeApiKey(i % 2 ? 'live' : 'test', systemRandom)
    expect(key).toMatch(/^sk_(live|test)_[0-9A-Za-z]{49}$/)
    expect(isApiKey(key)).toBe(true)
    const at = 8 + (i % 49)
    const wrong = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1)
    expect(isApiKey(wrong)).toBe(false)
  }
})

test('256 zero bits and 256 one bits both fit the form', () => {
  for (const byte of [0, 255])
    expect(isApiKey(makeApiKey('test', { bytes: (n) => new Uint8Array(n).fill(byte) }))).toBe(true)
})

test('the hint shows no more than the beginning and four signs', () => {
  const key = makeApiKey('test', systemRandom)
  expect(hintOfApiKey(key)).toBe(`${key.slice(0, 12)}…${key.slice(-4)}`)
})
