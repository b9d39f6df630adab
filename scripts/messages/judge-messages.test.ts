import { expect, test } from 'vitest'
import { judgeMessages } from './judge-messages.ts'

const english = new Map([
  [
    'pay.json',
    {
      'pay.a': 'Pay {amount}',
      'pay.b': '<strong>{n, plural, one {# line} other {# lines}}</strong>',
    },
  ],
])
const judge = (messages: Record<string, string>, file = 'pay.json') =>
  judgeMessages('messages', 'de', english, new Map([[file, messages]])).map(({ message }) => message)
const good = { 'pay.a': '{amount} zahlen', 'pay.b': '<strong>{n, plural, other {# Zeilen}}</strong>' }

test('a language with the same keys, placeholders and tags is complete, whatever their order', () => {
  expect(judge(good)).toEqual([])
})

test.each([
  [{ 'pay.a': good['pay.a'] }, 'pay.b is missing'],
  [{ ...good, 'pay.c': 'x' }, 'pay.c is not in English'],
  [{ ...good, 'pay.a': '{betrag} zahlen' }, 'pay.a has {betrag}, English has {amount}'],
  [{ ...good, 'pay.b': '{n, plural, other {#}}' }, 'pay.b has {n}, English has <strong> {n}'],
  [{ ...good, 'pay.a': 'zahlen {amount' }, 'pay.a is not ICU MessageFormat'],
  [{ ...good, 'pay.a': ' ' }, 'pay.a is empty'],
])('%j is refused: %s', (messages, message) => {
  expect(judge(messages as Record<string, string>)).toContain(message)
})

test('a file that is missing, or that English does not have, is refused', () => {
  expect(judge(good, 'other.json')).toEqual(['the file is missing', 'there is no such file in English'])
})
