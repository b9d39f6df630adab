import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/programs/temporary-folder.ts'
import { readSourceMap } from './stack-positions.ts'
import { positionsName, rowsName } from './translate-stacks.ts'

const translator = fileURLToPath(new URL('./translate-stacks.ts', import.meta.url))

const entry = `
import { fail } from './fail.ts'
try {
  fail({ deep: true })
} catch (error) {
  console.log((error as Error).stack)
}
`
const fail = `type How = {
  readonly deep: boolean
}

/** Fails. */
export function fail(how: How): never {
  const refuse = () => {
    throw new RangeError('it failed')
  }
  if (how.deep) refuse()
  return refuse()
}
`

/** Bundles two files as the service is bundled, into lines that nobody wrote, and gives the trace that they print. */
async function traceOfBundle(spoil: (folder: string) => void = () => {}): Promise<string> {
  const folder = await makeTemporaryFolder('stacks')
  onTestFinished(() => folder.remove())
  writeFileSync(join(folder.path, 'entry.ts'), entry)
  writeFileSync(join(folder.path, 'fail.ts'), fail)
  await build({
    entryPoints: [join(folder.path, 'entry.ts')],
    outfile: join(folder.path, 'main.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'external',
    logLevel: 'silent',
  })
  const { sources, rows } = readSourceMap(JSON.parse(readFileSync(join(folder.path, 'main.mjs.map'), 'utf8')))
  writeFileSync(join(folder.path, positionsName('main.mjs')), JSON.stringify(sources))
  writeFileSync(join(folder.path, rowsName('main.mjs')), rows)
  spoil(folder.path)
  const program = `const { translateStacks } = await import(${JSON.stringify(translator)})
    translateStacks(${JSON.stringify(folder.path)})
    await import(${JSON.stringify(join(folder.path, 'main.mjs'))})`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program])
  return `${stdout}${stderr}`
}

test('a trace out of a bundle names functions, files and lines of the sources', async () => {
  expect((await traceOfBundle()).split('\n').slice(0, 4)).toEqual([
    'RangeError: it failed',
    '    at refuse (fail.ts:8)',
    '    at fail (fail.ts:10)',
    '    at entry.ts:4',
  ])
})

test('a trace is told as it is where the positions of its bundle are gone', async () => {
  const trace = await traceOfBundle((folder) => rmSync(join(folder, rowsName('main.mjs'))))
  expect(trace).toMatch(/^RangeError: it failed\n {4}at refuse \(file:.*main\.mjs:1:\d+\)\n/)
})
