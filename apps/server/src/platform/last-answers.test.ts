import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { LastAnswers } from './last-answers.ts'

const room = { bytes: 10_000, ownerBytes: 4_000 }
const text = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
const answer = (bytes: number) => Buffer.from(text(bytes))

test('are bounded in bytes, however many and however long', () => {
  const answers = new LastAnswers(room)
  for (let i = 0; i < 500; i++) {
    answers.remember(`owner ${i % 7}`, `key ${i}`, answer(2 + ((i * 37) % 5_000)))
    expect(answers.bytes).toBeLessThanOrEqual(room.bytes)
  }
})

test("an owner's own go before another's", () => {
  const answers = new LastAnswers(room)
  answers.remember('quiet', 'list', answer(500))
  for (let i = 0; i < 100; i++) answers.remember('loud', `page ${i}`, answer(1_000))
  expect(answers.find('quiet', 'list')).toBe(text(500))
  expect(answers.find('loud', 'page 0')).toBeUndefined()
  expect(answers.find('loud', 'page 99')).toBe(text(1_000))
})

test('one that is too long is not kept, and one remembered again replaces the one before', () => {
  const answers = new LastAnswers(room)
  answers.remember('a', 'list', Buffer.from('{"n":1}'))
  answers.remember('a', 'long', answer(5_000))
  expect(answers.find('a', 'long')).toBeUndefined()
  answers.remember('a', 'list', Buffer.from('{"n":2}'))
  expect(answers.find('a', 'list')).toBe('{"n":2}')
  expect(answers.find('b', 'list')).toBeUndefined()
})

test('what they take is what they say, whatever else needed memory beside them', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  const before = process.memoryUsage().arrayBuffers
  const answers = new LastAnswers()
  const passing = [Buffer.alloc(15_000), Buffer.alloc(15_000)]
  for (let i = 0; i < 2_000; i++) {
    // As the body of a request is put together, and gone at once.
    for (let part = 0; part < 2; part++) Buffer.concat(passing)
    answers.remember(`owner ${i % 20}`, `list ${i}`, Buffer.from('{"items":[],"total":0,"nextCursor":null}'))
  }
  // Some of what is gone is given back later than at once.
  const isGivenBack = () => {
    gc()
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
  }
  await vi.waitFor(isGivenBack, { timeout: 60_000 })
  expect(answers.find('owner 0', 'list 0')).toContain('items')
})
