import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from './source/list-files.ts'
import { openDocument } from './source/open-document.ts'

const help = `Usage: node scripts/check-dashboard.ts [--types]

Checks the types of the web app. The types of the API are generated from the API's document first, into
apps/dashboard/src/api/schema.d.ts, which is not checked in: an editor has them after the first run.

  --types  only generate the types of the API`

const schemaFile = join(repositoryRoot, 'apps/dashboard/src/api/schema.d.ts')

if (process.argv.includes('--help')) {
  console.log(help)
} else {
  writeApiTypes()
  if (!process.argv.includes('--types')) {
    const tsc = join(repositoryRoot, 'node_modules/.bin/tsc')
    const buildInfo = ['--incremental', '--tsBuildInfoFile', '.cache/dashboard.tsbuildinfo']
    const outcome = spawnSync(tsc, ['-p', 'apps/dashboard', ...buildInfo], {
      cwd: repositoryRoot,
      stdio: 'inherit',
    })
    process.exitCode = outcome.status ?? 1
  }
}

/** Generates the API types, unless the existing ones come from the same document. */
function writeApiTypes(): void {
  const document = JSON.stringify(openDocument())
  const head = `// Of the document ${createHash('sha256').update(document).digest('hex')}\n`
  if (readOrNothing(schemaFile).startsWith(head)) return
  const folder = mkdtempSync(join(tmpdir(), 'sluice-api-types-'))
  try {
    writeFileSync(join(folder, 'openapi.json'), document)
    // The generator needs an older TypeScript than ours; it is installed in the generator's package.
    const generator = createRequire(join(repositoryRoot, 'packages/generated-client/package.json'))
    const bin = join(generator.resolve('openapi-typescript'), '../../bin/cli.js')
    const args = [bin, 'openapi.json', '--output', 'schema.d.ts']
    const outcome = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    if (outcome.status !== 0) throw new Error(outcome.stderr)
    writeFileSync(schemaFile, head + readFileSync(join(folder, 'schema.d.ts'), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
