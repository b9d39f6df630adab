import { expect, test } from 'vitest'
import { makeParser } from './event-stream.ts'

const wire =
  ': hello\nretry: 3000\n\nid: 41\nevent: ready\ndata: {}\n\ndata: one\ndata: two\n\nevent: nothing\n\n'

test('messages are parsed from parts of any size', () => {
  const whole = makeParser()(wire)
  expect(whole).toEqual([
    { id: 41, event: 'ready', data: '{}' },
    { id: undefined, event: 'message', data: 'one\ntwo' },
  ])
  for (let size = 1; size < 20; size++) {
    const parse = makeParser()
    const pieces = wire.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
    expect(pieces.flatMap(parse)).toEqual(whole)
  }
})
