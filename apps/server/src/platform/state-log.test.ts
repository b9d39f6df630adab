import { expect, test } from 'vitest'
import { makeLog } from './log.ts'
import { StateLog } from './state-log.ts'

function open() {
  const lines: { level: number; msg: string; chainId?: string }[] = []
  const states = new StateLog(makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) }))
  return { states, said: () => lines.map(({ level, msg, chainId }) => [level, msg, chainId]) }
}

test('a state is said when it begins, when it changes and when it ends, however often it is met', () => {
  const { states, said } = open()
  const meet = (chainId: string) => states.say('rpc', chainId, 'error', { chainId }, 'the wrong chain')
  for (let round = 0; round < 100; round++) meet('1')
  for (let round = 0; round < 100; round++) meet('5')
  for (let round = 0; round < 100; round++) states.end('rpc', 'the right chain')
  meet('5')
  expect(said()).toEqual([
    [50, 'the wrong chain', '1'],
    [50, 'the wrong chain', '5'],
    [30, 'the right chain', undefined],
    [50, 'the wrong chain', '5'],
  ])
})

test('one thing in a state says nothing of another', () => {
  const { states, said } = open()
  states.say('a', 'away', 'warn', {}, 'a is away')
  states.say('b', 'away', 'warn', {}, 'b is away')
  states.end('b', 'b is back')
  states.say('a', 'away', 'warn', {}, 'a is away')
  expect(said().map(([, msg]) => msg)).toEqual(['a is away', 'b is away', 'b is back'])
})

test('what is remembered is bounded: of many things the newest stay known', () => {
  const { states, said } = open()
  for (let i = 0; i < 3_000; i++) states.say(`thing ${i}`, 'odd', 'warn', {}, 'odd')
  states.say('thing 2999', 'odd', 'warn', {}, 'odd')
  states.say('thing 0', 'odd', 'warn', {}, 'odd')
  expect(said()).toHaveLength(3_001)
})
