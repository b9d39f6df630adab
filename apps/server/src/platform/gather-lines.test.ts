import { expect, test } from 'vitest'
import { gatherLines } from './gather-lines.ts'

function setUp() {
  const written: string[] = []
  const lines = gatherLines({ write: (text) => written.push(text) })
  return { written, lines }
}

const turnEnds = () => new Promise((resolve) => setImmediate(resolve))

test('lines of one turn are one write, in their order, and the next turn begins anew', async () => {
  const { written, lines } = setUp()
  for (const line of ['a\n', 'b\n']) lines.write(line)
  expect(written).toEqual([])
  await turnEnds()
  expect(written).toEqual(['a\nb\n'])
  lines.write('c\n')
  await turnEnds()
  expect(written).toEqual(['a\nb\n', 'c\n'])
})
