import { expect, test } from 'vitest'
import { readBlocks } from './read-blocks.ts'

test('a block is taken exactly as it stands, with its heading, line and marks', () => {
  const text = '  a "b" \\\n\nc\n'
  const guide = `# Guide\n\n## Start\n\`\`\`sh terminal=1 until="is ready" install\n${text}\`\`\``
  const marks = new Map(Object.entries({ terminal: '1', until: 'is ready', install: '' }))
  expect(readBlocks(guide)).toEqual([{ language: 'sh', marks, text, heading: 'Start', line: 5 }])
})

test('what looks like a heading in a block is none', () => {
  const blocks = readBlocks('# One\n```sh\n# a comment\n```\n```json\n{}\n```')
  expect(blocks.map(({ heading }) => heading)).toEqual(['One', 'One'])
})

test('a block that is never closed is a fault', () =>
  expect(() => readBlocks('```sh\nls')).toThrow('never closed'))
