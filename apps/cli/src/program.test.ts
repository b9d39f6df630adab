import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commands } from '../../../packages/cli/src/commands.ts'
import { findCommand } from '../../../packages/cli/src/find-command.ts'
import { parseArguments } from '../../../packages/cli/src/parse-arguments.ts'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { listFiles, repositoryRoot } from '../../../scripts/source/list-files.ts'
import { program } from './program.ts'

const empty = mkdtempSync(join(tmpdir(), 'sluice-cli-'))
afterAll(() => rmSync(empty, { recursive: true }))

async function run(args: readonly string[]) {
  const said = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    write(text: string) {
      said[name] += text
    },
  })
  const code = await runCli(program, args, {
    env: { DATA_DIR: empty },
    signal: new AbortController().signal,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    readStdin: async () => '',
    ask: async () => undefined,
  })
  return { code, ...said }
}

const wallet = `0x${'ab'.repeat(20)}`

test.each([
  [['key', 'create', '--scopes', 'all', '--merchant', wallet], "'all' is not a scope"],
  [['key', 'rotate', 'a', 'third', '--merchant', wallet], 'primary or secondary'],
  [['key', 'list', '--merchant', '0x1'], 'must be a wallet'],
  [['merchant', 'create', wallet], '--name'],
  [['merchant', 'list'], 'There is no database'],
  [['merchnt', 'list'], "Did you mean 'merchant'?"],
])('%j ends with 2, says what is wrong and writes nothing to stdout', async (args, text) => {
  const { code, stdout, stderr } = await run(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(text)
})

test('every command of the operator and of the integrator has a help that starts with its own words', async () => {
  const paths = program.commands.map(({ path }) => path.join(' '))
  expect(paths).toEqual(expect.arrayContaining(['receipt create', 'merchant create', 'doctor']))
  for (const path of paths) {
    const { code, stdout } = await run([...path.split(' '), '--help'])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: npm run cli -- ${path} `)])
  }
})

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')

test('the reference and the README of the package list every command', () => {
  const documents = [
    { text: read('docs/reference/cli.md'), listed: program.commands },
    { text: read('packages/cli/README.md'), listed: commands },
  ]
  for (const { text, listed } of documents)
    for (const { path } of listed) expect(text).toContain(`\`${path.join(' ')}`)
})

const texts = listFiles(repositoryRoot, ['.md', '.ts'])
  .filter((path) => /\.md$|^apps\/server\/src\//.test(path))
  .map(read)
const lines = texts.flatMap((text) =>
  [...text.matchAll(/(?:npm run (?:--silent )?cli --|npx sluice|cli\/src\/main\.ts) ([^`)#|>\n\\]+)/g)].map(
    ([, line = '']) => line.trim(),
  ),
)

test('documents and messages name at least twenty commands', () => expect(lines.length).toBeGreaterThan(20))

test.each(lines.filter((line) => /^[a-z]/.test(line)))('the documented command `%s` exists', (line) => {
  const words = (line.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map((word) => word.replaceAll('"', ''))
  const found = findCommand(program, words)
  if (typeof found !== 'string') parseArguments(program, found.command, found.rest)
})
