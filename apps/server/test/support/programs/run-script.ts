import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { loadPyodide } from 'pyodide'
import { makeTemporaryFolder } from './temporary-folder.ts'

// Runs Python and PHP in WebAssembly, so that the machine needs no interpreter.

export async function runPython(program: string, files: Readonly<Record<string, string>>): Promise<string> {
  const lines: string[] = []
  const python = await loadPyodide({ stdout: (line) => void lines.push(line) })
  for (const [name, text] of Object.entries(files)) python.FS.writeFile(name, text)
  await python.runPythonAsync(program)
  return lines.join('\n')
}

/** Not a dependency, because it is 89 MB in size. The only test that needs it installs it. */
const phpPackage = 'php-cli-wasm@0.1.0'

type PhpPackage = {
  readonly PhpCliNode: new (options: {
    version: string
    code: string
  }) => EventTarget & {
    readonly binary: Promise<{
      readonly FS: { mkdir(path: string): void; writeFile(path: string, text: string): void }
    }>
    run(): Promise<unknown>
  }
}

/** Runs a PHP program (without `<?php`), with `files` in `/program`. Returns its output. */
export async function runPhp(program: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeTemporaryFolder('php', { isSearched: false })
  const { PhpCliNode } = await installPhp(folder.path)
  const php = new PhpCliNode({ version: '8.4', code: program })
  let output = ''
  for (const name of ['output', 'error'])
    php.addEventListener(name, (event: Event) => {
      output += (event as CustomEvent<readonly string[]>).detail.join('')
    })
  const { FS } = await php.binary
  FS.mkdir('/program')
  for (const [name, text] of Object.entries(files)) FS.writeFile(`/program/${name}`, text)
  const exitCode = await php.run()
  await folder.remove()
  if (exitCode !== 0) throw new Error(`PHP ended with ${exitCode}: ${output}`)
  return output
}

async function installPhp(folder: string): Promise<PhpPackage> {
  await installPackage(folder, phpPackage)
  const file = createRequire(join(folder, 'package.json')).resolve('php-cli-wasm')
  return (await import(pathToFileURL(file).href)) as PhpPackage
}

/** Installs a package that only one test needs, with its exact version. */
export async function installPackage(folder: string, name: string): Promise<void> {
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
  await promisify(execFile)('npm', ['install', ...options, '--prefix', folder, name])
}
