// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * The program itself of a `@foundry-rs` package, not the package's own command: that one starts the program and
 * ends with 0 whatever the program ended with, so that a failed build would pass for a good one.
 *
 * @throws where the registry has none for this machine.
 */
export function nativeProgram(tool: 'anvil' | 'forge'): string {
  const machine = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/${tool}-${process.platform}-${machine}`
  const wrapper = createRequire(import.meta.url).resolve(`@foundry-rs/${tool}/package.json`)
  let folder: string
  try {
    folder = dirname(createRequire(wrapper).resolve(`${name}/package.json`))
  } catch (cause) {
    throw new Error(`there is no ${tool} for this machine (npm package ${name})`, { cause })
  }
  const program = join(folder, 'bin', tool)
  if (!existsSync(program)) throw new Error(`${name} is installed without its program: run npm ci again`)
  const { mode } = statSync(program)
  if ((mode & 0o111) === 0) chmodSync(program, mode | 0o555) // the package may come without the permission
  return program
}
