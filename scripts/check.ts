import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { formatDuration, type Outcome, runCommand } from './run/run-command.ts'
import { repositoryRoot } from './source/list-files.ts'

type Part = {
  readonly name: string
  readonly what: string
  readonly command: string
  readonly args: readonly string[]
  /** Returns why there is nothing to check yet, or `undefined` if there is something. */
  readonly skip?: () => string | undefined
}

const islands = 'apps/server/src/pages/islands'

// The slowest run first, so that the two parallel queues end at about the same time.
const parts: readonly Part[] = [
  {
    name: 'style',
    what: 'format, lint, circles of imports and where the world is touched',
    command: 'biome',
    args: ['check', '--error-on-warnings', '.'],
  },
  {
    name: 'unused',
    what: 'unused files, exports and packages',
    command: 'knip',
    args: ['--no-config-hints'],
  },
  {
    name: 'types',
    what: 'the types of everything that Node runs',
    command: 'tsc',
    // Incremental: checks only changed files again, in 2 s instead of 15 s.
    args: ['-p', '.', '--incremental', '--tsBuildInfoFile', '.cache/types.tsbuildinfo'],
  },
  {
    name: 'islands',
    what: 'the types of everything that runs in the browser',
    command: 'tsc',
    args: ['-p', islands],
    skip: () => (hasTypeScript(join(repositoryRoot, islands)) ? undefined : 'there are no browser scripts'),
  },
  ...['ci', 'release'].map((name) => ({
    name: 'workflows',
    what: `the workflow ${name} of GitHub against its schema`,
    command: 'action-validator',
    args: [`.github/workflows/${name}.yml`],
  })),
  script('dashboard', 'the types of the web app', 'check-dashboard.ts'),
  script('imports', 'the layers and their imports', 'check-imports.ts'),
  script('sql', 'the rules for statements', 'check-sql.ts'),
  script('env', '.env.example against the settings', 'write-env-example.ts', '--check'),
  script('size', 'no contract above 300 lines', 'check-size.ts'),
  script(
    'words',
    'the English of documents, comments and texts, what the code cites, and the subject of the newest commit',
    'check-words.ts',
  ),
  script(
    'snippets',
    'the code blocks and commands of the documents: run by a test, checked, or marked with a reason',
    'check-snippets.ts',
  ),
  script('notices', 'THIRD_PARTY_NOTICES.md against what is installed', 'write-notices.ts', '--check'),
  script(
    'coverage',
    'docs/reference/contract-coverage.md: each row of the contract has its test',
    'write-contract-coverage.ts',
    '--check',
  ),
  script(
    'web-app',
    'docs/reference/dashboard-coverage.md: each endpoint for sessions has its screen and its test',
    'check-web-app.ts',
  ),
  script(
    'package',
    'the tarballs of the public packages, as a release builds them',
    'release.ts',
    '--packages',
  ),
  script('sdk-types', 'packages/sdk/src/wire.ts against the schemas', 'write-sdk-types.ts', '--check'),
  script(
    'messages',
    'the texts of the pages in every language against the English ones',
    'check-messages.ts',
  ),
  script('lists', 'the networks and tokens that documents name', 'write-lists.ts', '--check'),
  script(
    'failures',
    'docs/reference/failure-codes.md against the catalogue',
    'write-failure-codes.ts',
    '--check',
  ),
]

const help = `Usage: npm run check [-- part…]

Checks the rules of this repository that a machine can check. Without names: every part.

${parts.map((part) => `  ${part.name.padEnd(9)} ${part.what}`).join('\n')}

\`npm run format\` repairs what it can of style, \`node scripts/write-env-example.ts\` env,
\`node scripts/write-notices.ts\` notices, \`node scripts/write-sdk-types.ts\` sdk-types,
\`node scripts/write-failure-codes.ts\` failures,
\`node scripts/write-lists.ts\` lists, \`node scripts/write-contract-coverage.ts\` coverage where only
the document is old.`

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => name !== '--help' && !parts.some((part) => part.name === name))
if (wanted.includes('--help')) {
  console.log(help)
} else if (unknown.length > 0) {
  console.error(`Unknown part: ${unknown.join(', ')}.\n\n${help}`)
  process.exitCode = 2
} else {
  await check(parts.filter((part) => wanted.length === 0 || wanted.includes(part.name)))
}

async function check(chosen: readonly Part[]): Promise<void> {
  const startedAt = Date.now()
  const waiting = [...chosen]
  const failed: string[] = []
  const work = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      if (!(await runPart(part))) failed.push(part.name)
    }
  }
  await Promise.all([work(), work()])
  const time = formatDuration(Date.now() - startedAt)
  console.log(
    failed.length === 0 ? `\nall checks passed in ${time}` : `\nfailed in ${time}: ${failed.join(', ')}`,
  )
  if (failed.length > 0) process.exitCode = 1
}

async function runPart(part: Part): Promise<boolean> {
  const reason = part.skip?.()
  if (reason) {
    console.log(`skip  ${part.name.padEnd(9)} ${reason}`)
    return true
  }
  const outcome: Outcome = await runCommand(part.command, part.args)
  const isFine = outcome.exitCode === 0
  console.log(`${isFine ? 'ok  ' : 'FAIL'}  ${part.name.padEnd(9)} ${formatDuration(outcome.durationMs)}`)
  if (!isFine) console.log(outcome.output.trimEnd().replace(/^/gm, '      '))
  return isFine
}

function script(name: string, what: string, file: string, ...args: string[]): Part {
  return { name, what, command: 'node', args: [`scripts/${file}`, ...args] }
}

function hasTypeScript(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder, { recursive: true }).some((it) => `${it}`.endsWith('.ts'))
}
