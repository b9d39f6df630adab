import { PhpCliNode } from 'php-cli-wasm'
import { loadPyodide } from 'pyodide'

// Python and PHP in WebAssembly, so that a machine needs neither.

/** Runs a Python program with files in its folder, and returns its output. */
export async function runPython(program: string, files: Readonly<Record<string, string>>): Promise<string> {
  const lines: string[] = []
  const python = await loadPyodide({ stdout: (line) => void lines.push(line) })
  for (const [name, text] of Object.entries(files)) python.FS.writeFile(name, text)
  await python.runPythonAsync(program)
  return lines.join('\n')
}

/** The part of the package that its types omit. */
type Php = EventTarget & {
  readonly binary: Promise<{
    readonly FS: { mkdir(path: string): void; writeFile(path: string, text: string): void }
  }>
  run(): Promise<unknown>
}

/** Runs a PHP program (without `<?php`) with files in `/program`, and returns its output. */
export async function runPhp(program: string, files: Readonly<Record<string, string>>): Promise<string> {
  const php = new PhpCliNode({ version: '8.4', code: program }) as unknown as Php
  let output = ''
  for (const name of ['output', 'error'])
    php.addEventListener(name, (event: Event) => {
      output += (event as CustomEvent<readonly string[]>).detail.join('')
    })
  const { FS } = await php.binary
  FS.mkdir('/program')
  for (const [name, text] of Object.entries(files)) FS.writeFile(`/program/${name}`, text)
  const exitCode = await php.run()
  if (exitCode !== 0) throw new Error(`PHP ended with ${exitCode}: ${output}`)
  return output
}
