import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listFiles, repositoryRoot } from './source/list-files.ts'

const architecture = readFileSync(join(repositoryRoot, 'ARCHITECTURE.md'), 'utf8')
const [, section = ''] = architecture.split('## To change something')
const rows = [...section.matchAll(/^\| ([a-z][^|]*) \| (.*)$/gm)].map(([, task = '', touch = '']) => ({
  task,
  touch,
}))

/** An existing example of each task. The pattern matches every file that the task touches. */
const examples: Readonly<Record<string, { readonly name: RegExp; readonly within: string }>> = {
  'a token': { name: /\bcbxrp\b/i, within: 'packages/protocol/src/' },
  'a network': { name: /\bbase-?sepolia\b/i, within: '' },
  'a stored receipt field': {
    name: /\bbrandName\b|\bbrand_name\b/,
    within: 'apps/server/migrations/|apps/server/src/receipts/(receipt|table|making/)',
  },
  'a merchant setting': {
    name: /\bembedOrigins\b|\bembed_origins\b/,
    within: 'apps/server/migrations/|apps/server/src/access/|packages/protocol/src/api/',
  },
  'a list filter': {
    name: /\bminCents\b|\bmin: (amount|readAmount)\b/,
    within: 'apps/server/src/receipts/finding/|packages/protocol/src/api/',
  },
  'a failure code': { name: /\bPORTAL_PAY_BANK_POLICY\b/, within: '' },
  'a scope': { name: /'inventory:write'/, within: 'apps/server/src/|packages/protocol/src/' },
  'a rate source': { name: /\bkraken/i, within: '' },
  'a setting': { name: /\bOTEL_EXPORTER_OTLP_HEADERS\b/, within: '' },
  'a job': { name: /\bkeepFeed\b/, within: '' },
  'a page': { name: /\bon-?success-?page\b/i, within: 'apps/server/src/pages/' },
}

const sources = listFiles(repositoryRoot, ['.ts', '.tsx', '.sql', '.json'])
  .filter((path) => /^(apps|packages)\/[^/]+\/(src|migrations)\//.test(path))
  .filter((path) => !/\.test\.ts$|^packages\/sdk\/src\/wire\.ts$|\/messages\/(?!en\/)/.test(path))
  .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }))

describe.each(Object.entries(examples))('%s', (task, { name, within }) => {
  test('touches no more files than ARCHITECTURE.md says', () => {
    const limit = Number(/\| (\d+)[^|]*\|$/.exec(rows.find((row) => row.task === task)?.touch ?? '')?.[1])
    const touched = sources.filter(
      ({ path, text }) => new RegExp(`^(${within})`).test(path) && name.test(text),
    )
    expect(touched.length, touched.map(({ path }) => path).join(' ')).toBeLessThanOrEqual(limit)
    expect(touched).not.toEqual([])
  })
})

const files = listFiles(repositoryRoot, ['.ts', '.md', '.json'])
const named = rows.flatMap(({ touch }) => [
  ...touch.matchAll(/(?<=[`\s])(?:[\w.-]+\/)+[\w-]+\.(?:ts|md|json)\b/g),
])

test.each(named.map(([path]) => path))('%s, which ARCHITECTURE.md names, is there', (path) =>
  expect(files.some((file) => `/${file}`.endsWith(`/${path}`))).toBe(true))
