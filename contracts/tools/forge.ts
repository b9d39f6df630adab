// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Abi, Hex } from 'viem'
import { nativeProgram } from './native-program.ts'

/** Folder of the contracts. */
export const contractsFolder = fileURLToPath(new URL('..', import.meta.url))

const binaries = join(contractsFolder, '..', 'node_modules', '.bin')

/** Compiler output for one contract. */
export type Artifact = {
  abi: Abi
  /** Creation code. */
  bytecode: Hex
  /** Runtime bytecode, with zeros in place of immutables. */
  runtimeBytecode: Hex
}

/** Returns an environment whose PATH contains the tools in node_modules, regardless of the caller's PATH. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ''}` }
}

/**
 * Compiles the named contracts in a temporary folder. Neither reads nor writes a cache, so the result depends
 * only on the sources and foundry.toml.
 */
export function compile(names: readonly string[]): Map<string, Artifact> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-contracts-'))
  try {
    const out = join(folder, 'out')
    const build = ['build', '--skip', 'test', '--out', out, '--cache-path', join(folder, 'cache')]
    const forge = spawnSync(nativeProgram('forge'), build, {
      cwd: contractsFolder,
      env: { ...toolEnvironment(), FOUNDRY_PROFILE: 'default' },
      encoding: 'utf8',
    })
    if (forge.status !== 0)
      throw new Error(`forge build failed\n${forge.stdout ?? ''}${forge.stderr ?? forge.error}`)
    return new Map(names.map((name) => [name, readArtifact(join(out, `${name}.sol`, `${name}.json`))]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readArtifact(path: string): Artifact {
  const artifact = JSON.parse(readFileSync(path, 'utf8')) as {
    abi: Abi
    bytecode: { object: Hex }
    deployedBytecode: { object: Hex }
  }
  return {
    abi: artifact.abi,
    bytecode: artifact.bytecode.object,
    runtimeBytecode: artifact.deployedBytecode.object,
  }
}
