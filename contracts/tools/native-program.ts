// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Returns the path of the native program in a `@foundry-rs` package. The package's own command always exits
 * with code 0, so a failed build would look successful.
 *
 * @throws if no package exists for this machine.
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
  if ((mode & 0o111) === 0) chmodSync(program, mode | 0o555) // the package may lack the execute permission
  return program
}
