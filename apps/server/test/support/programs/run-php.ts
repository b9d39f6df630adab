import { PhpCliNode } from 'php-cli-wasm'

/** What the package does and its types leave out. */
type Php = EventTarget & {
  readonly binary: Promise<{
    readonly FS: { mkdir(path: string): void; writeFile(path: string, text: string): void }
  }>
  run(): Promise<unknown>
}

/**
 * Runs PHP as it stands and gives what it prints: PHP in WebAssembly, so that a machine needs none of its own.
 *
 * @param program - Without `<?php`; the files lie in `/program`.
 */
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
