import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from './source/list-files.ts'

// Packs the client package as a release does, and checks the tarball.
const folder = mkdtempSync(join(tmpdir(), 'sluice-package-'))
try {
  run('npm', 'pack', '-w', '@sluice/sdk', '--pack-destination', folder)
  const tarball = join(folder, readdirSync(folder)[0] ?? '')
  run('publint', tarball, '--strict')
  run('attw', tarball, '--profile', 'esm-only')
} finally {
  rmSync(folder, { recursive: true })
}

function run(command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: repositoryRoot, encoding: 'utf8' })
  if (status === 0) return
  console.log(`${command} ${args.join(' ')}\n${stdout}${stderr}`)
  process.exitCode = 1
}
