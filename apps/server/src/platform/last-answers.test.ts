import { expect, test } from 'vitest'
import { LastAnswers } from './last-answers.ts'

const room = { bytes: 10_000, ownerBytes: 4_000 }
const answer = (bytes: number) => JSON.stringify('x'.repeat(bytes / 2 - 2))

test('are bounded in bytes, however many and however long', () => {
  const answers = new LastAnswers(room)
  for (let i = 0; i < 500; i++) {
    answers.remember(`owner ${i % 7}`, `key ${i}`, answer(4 + ((i * 37) % 5_000)))
    expect(answers.bytes).toBeLessThanOrEqual(room.bytes)
  }
})

test("an owner's own go before another's", () => {
  const answers = new LastAnswers(room)
  answers.remember('quiet', 'list', answer(500))
  for (let i = 0; i < 100; i++) answers.remember('loud', `page ${i}`, answer(1_000))
  expect(answers.find('quiet', 'list')).toBe(answer(500))
  expect(answers.find('loud', 'page 0')).toBeUndefined()
  expect(answers.find('loud', 'page 99')).toBe(answer(1_000))
})

test('one that is too long is not kept, and one remembered again replaces the one before', () => {
  const answers = new LastAnswers(room)
  answers.remember('a', 'list', '{"n":1}')
  answers.remember('a', 'long', answer(5_000))
  expect(answers.find('a', 'long')).toBeUndefined()
  answers.remember('a', 'list', '{"n":2}')
  expect(answers.find('a', 'list')).toBe('{"n":2}')
  expect(answers.find('b', 'list')).toBeUndefined()
})
