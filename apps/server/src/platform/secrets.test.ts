import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from '../../test/support/test-random.ts'
import { apiKeyContext, Secrets } from './secrets.ts'

const secrets = new Secrets('a master key of at least 32 signs!', seededRandom(1))

test('what was sealed opens again, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, context) => {
      expect(secrets.open(secrets.seal(secret, context), context)).toBe(secret)
    }),
  )
})

test('the sealed text says nothing of the secret, and is another one each time', () => {
  const sealed = secrets.seal('sk_test_secret', 'context')
  expect(sealed).not.toContain('sk_test_secret')
  expect(Buffer.from(sealed.slice(3), 'base64url').includes('sk_test_secret')).toBe(false)
  expect(secrets.seal('sk_test_secret', 'context')).not.toBe(sealed)
})

test("a sealed text does not open in another owner's row", () => {
  const sealed = secrets.seal('secret', apiKeyContext('0xA', 'key-1'))
  expect(() => secrets.open(sealed, apiKeyContext('0xB', 'key-1'))).toThrow()
  expect(() => secrets.open(sealed, apiKeyContext('0xA', 'key-2'))).toThrow()
})

test('another master key opens nothing', () => {
  const other = new Secrets('another master key of 32 signs....', seededRandom(2))
  expect(() => other.open(secrets.seal('secret', 'context'), 'context')).toThrow()
})

test('no byte of a sealed text can be changed, and none left out', () => {
  const bytes = Buffer.from(secrets.seal('secret', 'context').slice(3), 'base64url')
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i] = (changed[i] ?? 0) ^ 1
    expect(() => secrets.open(`s1.${changed.toString('base64url')}`, 'context'), `byte ${i}`).toThrow()
    expect(
      () => secrets.open(`s1.${bytes.subarray(0, i).toString('base64url')}`, 'context'),
      `cut ${i}`,
    ).toThrow()
  }
})

test('a text of another form is refused by name', () => {
  expect(() => secrets.open('plain', 'context')).toThrow('unknown form of a sealed secret')
})
