import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../test/support/test-random.ts'
import { ApiError } from './api-error.ts'
import { readJson } from './read-json.ts'

test('any JSON value of ordinary depth is read as JSON.parse reads it', () => {
  forAll(fc.jsonValue({ maxDepth: 6, noUnicodeString: true }), (value) => {
    const text = JSON.stringify(value)
    if (text.includes('\\u0000') || text.includes('__proto__')) return
    expect(readJson(text)).toEqual(JSON.parse(text))
  })
})

test.each([
  ['a number that would lose digits', '{"a":10.0000000000000001}'],
  ['a number above all doubles', '{"a":123456789012345678901234567890e400}'],
  ['a short number above all doubles', '{"a":1e400}'],
  ['a short number below all doubles', '{"a":1e-400}'],
  ['an integer above 2^53 that would change', '[9007199254740993]'],
  ['such an integer below zero', '[1,-9007199254740993]'],
  ['such an integer after white space', '{"a": \n9007199254740993}'],
  ['such an integer alone', '9007199254740993'],
  ['a NUL', '{"a":"\\u0000"}'],
  ['a NUL in a name', '{"\\u0000":1}'],
  ['a lone surrogate', '["\\ud800"]'],
  ['__proto__', '{"__proto__":{"x":1}}'],
  ['__proto__ in other letters', '{"_\\u005fproto__":{"x":1}}'],
  ['a half of a surrogate pair as it is', '["\ud800"]'],
  ['a field twice', '{"a":1,"b":{"a":2},"a":1}'],
  ['a field twice within', '[{"x":{"a:":1,"\\u0061:":2}}]'],
  ['33 levels', '['.repeat(33) + ']'.repeat(33)],
  ['no JSON', '{a:1}'],
])('%s is refused as invalid_input', (_name, text) => expect(() => readJson(text)).toThrow(ApiError))

test('a number that would lose digits is named by where it stands', () => {
  expect(() => readJson('{"lineItems":[{"amount":1},{"amount":10.0000000000000001}]}')).toThrow(
    'lineItems/1/amount: has more digits than can be stored exactly',
  )
})

test.each([
  '1.10000000000000000000',
  '100000000000000000000',
  '0.10000000000000000',
  '"1234567890123456789"',
])('%s keeps its value and is taken', (text) => expect(readJson(text)).toBe(JSON.parse(text)))

test('colons in texts, and one name in several objects, make no field twice', () =>
  expect(readJson('[{"a:":":\\":"},{"a:":1e0,"b":[{},{"a:":null}]}]')).toHaveLength(2))

test('32 levels are taken, and brackets in texts do not count', () => {
  expect(readJson('['.repeat(32) + ']'.repeat(32))).toBeDefined()
  expect(readJson(JSON.stringify('['.repeat(100)))).toBe('['.repeat(100))
})

test('digits in a text are a text, however many', () =>
  expect(readJson('{"id":"order:9007199254740993,1e400"}')).toEqual({ id: 'order:9007199254740993,1e400' }))
