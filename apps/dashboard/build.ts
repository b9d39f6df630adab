import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vite'

const help = `Usage: node apps/dashboard/build.ts --out DIR

Builds the web app into DIR, which appears when it is whole. The service does this by itself when the app is opened
for the first time.

  --out  folder to write; if it is there already, nothing is done`

const { values } = parseArgs({ options: { out: { type: 'string' }, help: { type: 'boolean' } } })

if (values.help || values.out === undefined) {
  process.stdout.write(help)
  process.exitCode = values.help ? 0 : 2
} else {
  const out = resolve(values.out)
  const draft = mkdtempSync(`${dirname(out)}/draft-`)
  await build({
    configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)),
    logLevel: 'warn',
    build: { outDir: draft, emptyOutDir: true },
  })
  try {
    renameSync(draft, out)
  } catch {
    // Another process was first: its build is of the same sources.
    rmSync(draft, { recursive: true, force: true })
  }
}
