import { expect, test } from 'vitest'
import {
  checkDocuments,
  checkFiles,
  contextFiles,
  isIgnored,
  packageFiles,
  readNotes,
} from './check-files.ts'

const file = (path: string, text = '') => ({ path, text })
const documents = [file('LICENSE'), file('README.md')]

test('a package contains its build and its documents, and nothing else', () => {
  expect(checkFiles([...documents, file('package.json'), file('dist/a/b.d.ts')], packageFiles)).toEqual([])
  for (const path of ['src/a.ts', 'dist/a.test.ts', 'dist/../.env', 'data/local.json'])
    expect(checkFiles([file(path)], packageFiles)).toContain(`${path} is not in the list of files`)
})

test.each([
  ['apps/a/.env', ''],
  ['apps/a/tls.pem', ''],
  ['deploy/secrets/master_key', ''],
  ['apps/a.ts', `const key = 'sk_live_${'a'.repeat(32)}'`],
  ['apps/a.ts', '-----BEGIN EC PRIVATE KEY-----'],
  ['.npmrc', `//registry.npmjs.org/:_authToken=npm_${'a'.repeat(36)}`],
])('a secret stops a release: %s %s', (path, text) => {
  expect(checkFiles([file(path, text)], contextFiles)).toEqual([`${path} can contain a secret`])
})

test('a reference to a secret in the environment stops no release', () => {
  expect(checkFiles([file('.npmrc', `:_authToken=$\{NPM_TOKEN}`)], contextFiles)).toEqual([])
})

test('a package has a licence, and messages if it bundles other packages', () => {
  const map = (source: string) => file('dist/a.js.map', JSON.stringify({ sources: [source] }))
  expect(checkDocuments([...documents, map('../src/a.ts')])).toEqual([])
  expect(checkDocuments([map('../../../node_modules/viem/a.js')])).toEqual([
    'LICENSE is missing',
    'README.md is missing',
    'THIRD_PARTY_NOTICES.md is missing',
  ])
})

test('the notes are the section of exactly this version', () => {
  const changelog =
    '# Changelog\n\n## [1.10.0] - 2026-02-01\n\n- ten\n\n## 1.1.0 (not released yet)\n\n### For all\n\n- one\n'
  expect(readNotes(changelog, '1.1.0')).toEqual({
    heading: '1.1.0 (not released yet)',
    notes: '### For all\n\n- one\n',
  })
  expect(readNotes(changelog, '1.10.0')?.notes).toBe('- ten\n')
  expect(readNotes(changelog, '1.0')).toBeUndefined()
})

test('the image context lacks what .dockerignore names', () => {
  const rules = ['**/node_modules', '**/*.test.ts', 'contracts/out']
  for (const path of ['apps/a/node_modules/b.js', 'apps/a.test.ts', 'contracts/out/a.json'])
    expect(isIgnored(path, rules)).toBe(true)
  for (const path of ['apps/a.ts', 'contracts/output.ts', 'packages/out/a.ts'])
    expect(isIgnored(path, rules)).toBe(false)
})
