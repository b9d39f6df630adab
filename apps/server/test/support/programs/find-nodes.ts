import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '../../../../../scripts/source/list-files.ts'

const run = promisify(execFile)

const versions = ['20.20.2', '22.23.3']

/** Returns the path of a Node.js executable for each supported version. Downloads missing versions once. */
export function findNodes(): Promise<string[]> {
  return Promise.all([...versions.map(findNode), process.execPath])
}

async function findNode(version: string): Promise<string> {
  const [major] = version.split('.')
  for (const path of ['/usr/bin/node', '/usr/local/bin/node']) {
    const installed = await run(path, ['--version']).catch(() => undefined)
    if (installed?.stdout.startsWith(`v${major}.`)) return path
  }
  const folder = join(repositoryRoot, '.cache', `node-${version}`)
  const name = `node-linux-${process.arch}`
  const node = join(folder, 'node_modules', name, 'bin/node')
  if (existsSync(node)) return node
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  await run('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], { cwd: folder })
  return node
}
