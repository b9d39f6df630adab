import { expect, test } from 'vitest'
import { judgeAnswer } from './judge-answer.ts'

const json = (shown: unknown, found: unknown) =>
  judgeAnswer('json', JSON.stringify(shown), JSON.stringify(found))

test('an answer may have more than a guide shows, and nothing else', () => {
  expect(json({ a: 1 }, { a: 1, b: 2 })).toBeUndefined()
  expect(json({ a: 1 }, { a: 2 })).toContain('/a is 2')
  expect(json({ a: null }, {})).toContain('/a')
  expect(json({ a: { b: 'x' } }, { a: null })).toContain('/a')
})

test('an ellipsis is anything, and a time is any time', () => {
  expect(json({ id: 'R-…', at: 1_760_000_000_000 }, { id: 'R-42', at: 1_770_000_000_001 })).toBeUndefined()
  expect(json({ id: 'R-…' }, { id: 'Q-42' })).toContain('/id')
  expect(json({ at: 1_760_000_000_000 }, { at: 12 })).toContain('/at')
})

test('a list has the elements shown, and more only where it says so', () => {
  expect(json({ list: [1] }, { list: [1, 2] })).toContain('2 elements')
  expect(json({ list: [1, '…'] }, { list: [1, 2] })).toBeUndefined()
  expect(json({ list: [1, '…'] }, { list: [] })).toContain('0 elements')
})

test('text is compared line by line', () => {
  expect(judgeAnswer('text', 'paid in …\nall\n', 'paid in 3 s\nall\n')).toBeUndefined()
  expect(judgeAnswer('text', 'paid in …\n', 'paid in 3\nall\n')).toContain('printed')
})

test('what is not JSON is a fault', () => expect(judgeAnswer('json', '{}', 'oops')).toContain('not JSON'))
