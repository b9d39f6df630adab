import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll, seededRandom } from '../../test/support/test-random.ts'
import { apiKeyContext, Secrets } from './secrets.ts'

const secrets = new Secrets('a master key of at least 32 signs!', seededRandom(1))

test('what was encrypted opens again, whatever it is', () => {
  forAll(fc.string({ unit: 'grapheme' }), fc.string(), (secret, context) => {
    expect(secrets.open(secrets.encrypt(secret, context), context)).toBe(secret)
  })
})

test('the encrypted text says nothing of the secret, and is another one each time', () => {
  const encrypted = secrets.encrypt('sk_test_secret', 'context')
  expect(encrypted).not.toContain('sk_test_secret')
  const bytes = Buffer.from(encrypted.slice(encrypted.lastIndexOf('.') + 1), 'base64url')
  expect(bytes.includes('sk_test_secret')).toBe(false)
  expect(secrets.encrypt('sk_test_secret', 'context')).not.toBe(encrypted)
})

test("a encrypted text does not open in another owner's row", () => {
  const encrypted = secrets.encrypt('secret', apiKeyContext('0xA', 'key-1'))
  expect(() => secrets.open(encrypted, apiKeyContext('0xB', 'key-1'))).toThrow()
  expect(() => secrets.open(encrypted, apiKeyContext('0xA', 'key-2'))).toThrow()
})

test('another master key opens nothing', () => {
  const other = new Secrets('another master key of 32 signs....', seededRandom(2))
  expect(() => other.open(secrets.encrypt('secret', 'context'), 'context')).toThrow()
})

test('no byte of a encrypted text can be changed, and none left out', () => {
  const encrypted = secrets.encrypt('secret', 'context')
  const start = encrypted.lastIndexOf('.') + 1
  const bytes = Buffer.from(encrypted.slice(start), 'base64url')
  const prefix = encrypted.slice(0, start)
  expect(secrets.open(encrypted, 'context')).toBe('secret')
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i] = (changed[i] ?? 0) ^ 1
    expect(() => secrets.open(prefix + changed.toString('base64url'), 'context'), `byte ${i}`).toThrow()
    const cut = bytes.subarray(0, i).toString('base64url')
    expect(() => secrets.open(prefix + cut, 'context'), `cut ${i}`).toThrow()
  }
})

describe('two master keys', () => {
  const [former, next] = ['the master key before this one....', 'the master key that follows on it']
  const before = new Secrets(former, seededRandom(3))
  const both = new Secrets(next, seededRandom(4), [former])
  const after = new Secrets(next, seededRandom(5))

  test('open what either has encrypted, and seal with the new one alone', () => {
    const old = before.encrypt('secret', 'context')
    for (const encrypted of [old, both.encrypt('secret', 'context')])
      expect(both.open(encrypted, 'context')).toBe('secret')
    expect(after.open(both.encrypt('secret', 'context'), 'context')).toBe('secret')
    expect(() => before.open(both.encrypt('secret', 'context'), 'context')).toThrow('another master key')
    expect([both.keyId, both.oldKeyIds]).toEqual([after.keyId, [before.keyId]])
  })

  test('tell what is not encrypted with the current one', () => {
    const old = before.encrypt('secret', 'context')
    const encrypted = [old, both.encrypt('secret', 'context')]
    expect(encrypted.map((it) => both.isCurrent(it))).toEqual([false, true])
    expect(before.isCurrent(old)).toBe(true)
  })

  test('know the codes of either, and make those of the new one', () => {
    const code = before.mac('purpose', 'text')
    expect([both.isMac('purpose', 'text', code), after.isMac('purpose', 'text', code)]).toEqual([true, false])
    expect(both.isMac('another', 'text', code)).toBe(false)
    expect(both.mac('purpose', 'text')).toBe(after.mac('purpose', 'text'))
  })
})

test('a text of another form is refused by name', () =>
  expect(() => secrets.open('plain', 'context')).toThrow('unknown format of an encrypted secret'))
