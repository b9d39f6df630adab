import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settings } from '../apps/server/src/platform/settings/settings.ts'
import { repositoryRoot } from './source/list-files.ts'
import { writeEnvExample } from './write-env-example.ts'

const file = join(repositoryRoot, '.env.example')
const expected = writeEnvExample(settings)

if (process.argv.includes('--help')) {
  console.log(`Usage: node scripts/check-env.ts [--write]

Checks .env.example against the settings of apps/server/src/platform/settings/settings.ts.

  --write  rewrite the file`)
} else if (process.argv.includes('--write')) {
  writeFileSync(file, expected)
  console.log('.env.example written')
} else if (read() === expected) {
  console.log('env: .env.example lists every setting')
} else {
  console.log('.env.example:1  env: differs from the settings; run node scripts/check-env.ts --write')
  process.exitCode = 1
}

function read(): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
