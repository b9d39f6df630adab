import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../run/run-command.ts'
import { repositoryRoot } from '../source/list-files.ts'

const server = 'apps/server/src'
const held = `${server}/receipts`
const world = 'plugin'
const globals = 'lint/style/noRestrictedGlobals'
const imports = 'lint/style/noRestrictedImports'
const environment = 'lint/style/noProcessEnv'
const barrel = 'lint/performance/noBarrelFile'
const circle = 'lint/suspicious/noImportCycles'
const ending = 'lint/correctness/useImportExtensions'
const size = 'lint/style/noExcessiveLinesPerFile'

const bad: [rule: string, path: string, text: string][] = [
  [world, `${held}/a1.ts`, 'export const at = Date.now()'],
  [world, `${held}/a2.ts`, 'export const at = new Date()'],
  [world, `${held}/a3.ts`, 'export const at = Date()'],
  [world, `${held}/a4.ts`, 'export const chance = Math.random()'],
  [world, `${held}/a5.ts`, "export const answer = await globalThis.fetch('x')"],
  [world, `${held}/a6.ts`, 'export const at = performance.now()'],
  [world, `${held}/a7.ts`, 'export const at = process.hrtime.bigint()'],
  [world, `${held}/a8.ts`, 'export const id = crypto.randomUUID()'],
  [world, `${held}/room/a9.ts`, 'export const at = Date.now()'],
  [world, `${server}/main.ts`, 'export const at = Date.now()'],
  [world, 'packages/protocol/src/time.ts', 'export const at = Date.now()'],
  [globals, `${held}/b1.ts`, "export const answer = await fetch('https://example.com')"],
  [globals, `${held}/b2.ts`, 'export const client = { fetch }'],
  [globals, `${held}/b3.ts`, 'setTimeout(() => {}, 5)'],
  [globals, `${held}/b4.ts`, 'export const timer = setInterval(() => {}, 5)'],
  [globals, `${held}/b5.ts`, 'setImmediate(() => {})'],
  [imports, `${held}/c1.ts`, "import { randomBytes } from 'node:crypto'\nexport const x = randomBytes(5)"],
  [imports, `${held}/c2.ts`, "import { randomUUID as id } from 'node:crypto'\nexport const x = id()"],
  [imports, `${held}/c3.ts`, "import { setTimeout as x } from 'node:timers/promises'\nx(5)"],
  [imports, `${held}/c4.ts`, "import { request } from 'undici'\nrequest('x')"],
  [environment, `${held}/d1.ts`, 'export const port = process.env.PORT'],
  [environment, 'apps/cli/src/settings.ts', 'export const port = process.env.PORT'],
  [environment, 'packages/sdk/src/transport.ts', 'export const port = process.env.PORT'],
  [barrel, `${held}/e1.ts`, "export { at } from './a1.ts'"],
  [barrel, `${held}/e2.ts`, "export * from './a1.ts'"],
  ['lint/style/noExportedImports', `${held}/e3.ts`, "import { at } from './a1.ts'\nexport { at }"],
  [circle, `${held}/f1.ts`, "import type { B } from './f2.ts'\nexport type A = { b: B }"],
  [circle, `${held}/f2.ts`, "import type { A } from './f1.ts'\nexport type B = { a: A }"],
  [circle, 'packages/protocol/src/f3.ts', "import { b } from '@sluice/protocol/f4.ts'\nexport const a = b"],
  [circle, 'packages/protocol/src/f4.ts', "import { a } from './f3.ts'\nexport const b = a"],
  [ending, `${held}/g1.ts`, "import { at } from './a1'\nexport const y = at"],
  [ending, `${held}/g2.ts`, "import { at } from './a1.js'\nexport const y = at"],
  [size, `${held}/h1.ts`, '// a line\n'.repeat(300) + 'export {}\n'],
]

const good: [path: string, text: string][] = [
  [`${held}/y1.ts`, 'export const at = (clock: { now(): number }) => new Date(clock.now())'],
  [`${held}/y2.ts`, 'export const get = (outbound: { fetch(url: string): void }) => outbound.fetch("x")'],
  [`${held}/y3.ts`, 'export type Needs = { fetch(url: string): Promise<Response> }'],
  [`${held}/y4.ts`, "export const text = 'Date.now()' // Math.random()"],
  [`${held}/y5.ts`, "import { createHash } from 'node:crypto'\ncreateHash('sha256')"],
  [`${held}/y6.ts`, 'export const platform = process.platform'],
  [`${held}/y7.ts`, '// a line\n'.repeat(299) + 'export {}\n'],
  [`${held}/y8.ts`, "import { chance } from './a4.ts'\nexport const x = chance"],
  [`${held}/y.test.ts`, 'export const at = Date.now()\nsetTimeout(() => {}, 5)'],
  [`${server}/kernel/clock.ts`, 'export const at = Date.now()\nsetTimeout(() => {}, 5)'],
  [`${server}/platform/http/x.ts`, 'export const at = Date.now()\nfetch(process.env.AT + at)'],
  [`${server}/pages/islands/checkout.ts`, 'export const at = Date.now()\nsetTimeout(() => {}, 5)'],
  [`${server}/demo.ts`, 'export const port = process.env.PORT'],
  ['apps/cli/src/main.ts', 'export const port = process.env.PORT\nsetTimeout(() => {}, 5)'],
  ['packages/sdk/src/wait.ts', 'export const at = Date.now()\nsetTimeout(() => {}, 5)'],
  ['apps/server/test/flows/pay.test.ts', 'export const at = Date.now()'],
]

type Report = { readonly diagnostics: readonly { category: string; location: { path: string } }[] }

const folder = mkdtempSync(join(tmpdir(), 'sluice-lint-'))
const found = new Map<string, string[]>()

beforeAll(async () => {
  for (const name of ['biome.json', 'scripts/lint'])
    cpSync(join(repositoryRoot, name), join(folder, name), { recursive: true })
  for (const [path, text] of [...bad.map(([, ...file]) => file), ...good]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n')
  writeFileSync(
    join(folder, 'packages/protocol/package.json'),
    JSON.stringify({ name: '@sluice/protocol', type: 'module', exports: { './*': './src/*' } }),
  )
  mkdirSync(join(folder, 'node_modules/@sluice'), { recursive: true })
  symlinkSync(join(folder, 'packages/protocol'), join(folder, 'node_modules/@sluice/protocol'))
  const reporter = ['--reporter=json', '--reporter-file=report.json']
  await runCommand('biome', ['lint', '--max-diagnostics=none', ...reporter, '.'], { cwd: folder })
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report
  for (const { category, location } of report.diagnostics)
    found.set(location.path, [...(found.get(location.path) ?? []), category])
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(bad)('%s is broken by %s: %s', (rule, path) => expect(found.get(path)).toContain(rule))

test.each(good)('%s may say: %s', (path) => expect(found.get(path)).toBeUndefined())
