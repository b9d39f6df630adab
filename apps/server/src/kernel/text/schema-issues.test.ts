import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { issuesOf } from './schema-issues.ts'

const orNull = (schema: Parameters<typeof Type.Union>[0][number]) => Type.Union([schema, Type.Null()])
const text = Type.String({ minLength: 1, maxLength: 3, pattern: '^[0-9]+$' })
const choice = Type.Union([Type.Literal('buy'), Type.Literal('sell')])

test.each([
  ['an enum', Type.Enum(['a', 'b']), 'c', 'must be one of a, b'],
  ['literals', choice, 'c', 'must be one of buy, sell'],
  ['an enum or null', orNull(Type.Enum(['a', 'b'])), 'c', 'must be one of a, b, null'],
  ['a pattern', text, 'x', 'must be a whole number'],
  ['a pattern or null', orNull(text), 'x', 'must be a whole number, or null'],
  ['a pattern that has no words', Type.String({ pattern: '^q$' }), 'x', 'has the wrong format'],
  ['a text that is empty, and so breaks its pattern too', text, '', 'must not be empty'],
  ['a text that is too long', text, '1234', 'must be at most 3 characters long'],
  ['a type', orNull(Type.Number()), 'x', 'must be a number, or null'],
  ['null', Type.Null(), 1, 'must be null'],
  ['a bound', Type.Integer({ minimum: -1 }), -2, 'must be at least -1'],
  ['a list', Type.Array(text, { minItems: 2 }), ['1'], 'must be at least 2 long'],
])('%s: one issue, without the words of the schema', (_, schema, value, message) =>
  expect(issuesOf(Compile(Type.Object({ it: schema })).Errors({ it: value }))).toEqual([
    { path: 'it', message },
  ]))

test('what is missing is named where it would be, and the whole is the body', () => {
  const schema = Compile(Type.Object({ a: Type.Object({ 'b/c': text, d: text }) }))
  expect(issuesOf(schema.Errors({ a: {} }))).toEqual([
    { path: 'a/b~1c', message: 'is required' },
    { path: 'a/d', message: 'is required' },
  ])
  expect(issuesOf(schema.Errors([]))).toEqual([{ path: '', message: 'The body must be an object' }])
})
