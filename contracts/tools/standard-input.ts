// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import type { Hex } from 'viem'
import { contractsFolder } from './forge.ts'

/** How the shipped contracts are compiled; the same as foundry.toml says. */
export const compiler = {
  version: '0.8.37+commit.f401782d',
  evmVersion: 'cancun',
  optimizerRuns: 10_000,
  viaIR: false,
} as const

const root = 'src/SplitFactory.sol'
const packages: Readonly<Record<string, string>> = {
  'solady/': 'solady/src/',
  '@openzeppelin/': '@openzeppelin/',
}

/** The compiler's input for the factory with every source it needs, as explorers ask for it. */
export function standardInput() {
  const sources: Record<string, { content: string }> = {}
  const collect = (name: string) => {
    if (sources[name]) return
    const content = readSource(name)
    sources[name] = { content }
    for (const [, target] of content.matchAll(/^\s*import\s+(?:[^"';]*from\s+)?["']([^"']+)["']/gm)) {
      if (target) collect(target.startsWith('.') ? posix.join(posix.dirname(name), target) : target)
    }
  }
  collect(root)
  return {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).sort(([a], [b]) => (a < b ? -1 : 1))),
    settings: {
      optimizer: { enabled: true, runs: compiler.optimizerRuns },
      evmVersion: compiler.evmVersion,
      viaIR: compiler.viaIR,
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
}

/** Creation code of the factory, compiled from the input alone. */
export function compileStandardInput(input: object): Hex {
  const require = createRequire(import.meta.url)
  const solc = require('solc') as { compile(input: string): string }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    errors?: { severity: string; formattedMessage: string }[]
    contracts?: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
  }
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  const code = output.contracts?.[root]?.SplitFactory?.evm.bytecode.object
  if (errors.length > 0 || code === undefined)
    throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n') || 'nothing compiled')
  return `0x${code}`
}

function readSource(name: string): string {
  for (const [prefix, path] of Object.entries(packages)) {
    if (name.startsWith(prefix))
      return readFileSync(join(modules(), path + name.slice(prefix.length)), 'utf8')
  }
  return readFileSync(join(contractsFolder, name), 'utf8')
}

function modules(): string {
  return dirname(dirname(createRequire(import.meta.url).resolve('solady/package.json')))
}
