import { expect, test } from 'vitest'
import { asOutage, isDatastoreOutage, LastAnswers } from './degraded.ts'

test.each([
  { code: 'ECONNREFUSED' },
  { code: '57P01' },
  { code: '57P03' },
  { code: '08006' },
  { code: '55P03' },
  { code: '57014' },
  { code: '25P03' },
  { message: 'Connection terminated unexpectedly' },
  { message: 'timeout exceeded when trying to connect' },
])('%o is an outage', (error) => expect(isDatastoreOutage(asOutage(error))).toBe(true))

test.each([
  { code: '42601' },
  { code: '23505' },
  { message: 'something else' },
  {},
])('%o is a fault of ours', (error) => expect(asOutage(error)).toBe(error))

test('a connection that broke elsewhere is no outage', () => {
  expect(isDatastoreOutage(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))).toBe(false)
})

test('the answer that was not used for longest goes first', () => {
  const answers = new LastAnswers(3)
  answers.remember('a', { n: 1 })
  answers.remember('b', { n: 2 })
  answers.remember('c', { n: 3 })
  answers.find('a')
  answers.remember('d', { n: 4 })
  expect(['a', 'b', 'c', 'd'].map((key) => answers.find(key) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ])
})

test('a long list takes the room of many short answers, and one too long is not kept', () => {
  const answers = new LastAnswers(10)
  for (const key of ['a', 'b', 'c']) answers.remember(key, { list: [1, 2] })
  answers.remember('long', { list: [1, 2, 3, 4, 5, 6, 7, 8] })
  expect(answers.find('a')).toBeUndefined()
  expect(answers.find('long')).toBeDefined()
  answers.remember('too long', { list: Array(20) })
  expect(answers.find('too long')).toBeUndefined()
  expect(answers.find('long')).toBeDefined()
})

test('an answer remembered again replaces the one before', () => {
  const answers = new LastAnswers(2)
  answers.remember('a', { n: 1 })
  answers.remember('a', { n: 2 })
  answers.remember('b', { n: 3 })
  expect(answers.find('a')).toEqual({ n: 2 })
})
