import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { findCircles } from './find-circles.ts'

const file = (name: string, ...imports: string[]) =>
  parseSource(
    `apps/server/src/receipts/${name}.ts`,
    imports.map((it) => `import type { X } from '${it}'`).join('\n'),
  )

test('files that lean on each other in one direction are no circle', () => {
  expect(findCircles([file('a', './b.ts', './c.ts'), file('b', './c.ts'), file('c')])).toEqual([])
})

test('a circle is named with all its files, types included', () => {
  const faults = findCircles([file('a', './b.ts'), file('b', './c.ts'), file('c', './a.ts')])
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatchObject({ rule: 'circle', path: 'apps/server/src/receipts/c.ts' })
  expect(faults[0]?.message).toMatch(/a\.ts → .*b\.ts → .*c\.ts → .*a\.ts/)
})

test('a circle through a workspace name is found', () => {
  const protocol = (name: string, other: string) =>
    parseSource(`packages/protocol/src/${name}.ts`, `import { x } from '${other}'`)
  const faults = findCircles([protocol('a', '@sluice/protocol/b.ts'), protocol('b', './a.ts')])
  expect(faults.map(({ rule }) => rule)).toEqual(['circle'])
})
