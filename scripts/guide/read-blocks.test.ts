import { expect, test } from 'vitest'
import { readBlocks } from './read-blocks.ts'

test('a block is taken exactly as it stands, with its heading, line and marks', () => {
  const guide = [
    '# Guide',
    '',
    '## Start',
    '```sh terminal=1 until="is ready" install',
    '  a "b" \\',
    '',
    'c',
    '```',
  ].join('\n')
  expect(readBlocks(guide)).toEqual([
    {
      language: 'sh',
      marks: new Map([
        ['terminal', '1'],
        ['until', 'is ready'],
        ['install', ''],
      ]),
      text: '  a "b" \\\n\nc\n',
      heading: 'Start',
      line: 5,
    },
  ])
})

test('what looks like a heading in a block is none', () => {
  expect(
    readBlocks('# One\n```sh\n# a comment\n```\n```json\n{}\n```').map((block) => block.heading),
  ).toEqual(['One', 'One'])
})

test('a block that is never closed is a fault', () => {
  expect(() => readBlocks('```sh\nls')).toThrow('never closed')
})
