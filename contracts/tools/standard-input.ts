// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import type { Hex } from 'viem'
import { contractsFolder } from './forge.ts'

/** Compiler settings of the shipped contracts, the same as in foundry.toml. */
export const compiler = {
  version: '0.8.37+commit.f401782d',
  evmVersion: 'cancun',
  optimizerRuns: 10_000,
  viaIR: false,
} as const

/** The deployed contracts. They create or import all others. */
const roots = ['SplitFactory', 'PullFactory'] as const
const packages: Readonly<Record<string, string>> = {
  'solady/': 'solady/src/',
  '@openzeppelin/': '@openzeppelin/',
}

/** Returns the compiler's input for both factories with all their sources, as block explorers require it. */
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
  for (const name of roots) collect(pathOf(name))
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

/** Returns the creation code of both factories, compiled only from the input. */
export function compileStandardInput(input: object): Readonly<Record<(typeof roots)[number], Hex>> {
  const require = createRequire(import.meta.url)
  const solc = require('solc') as { compile(input: string): string }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    errors?: { severity: string; formattedMessage: string }[]
    contracts?: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
  }
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  const codeOf = (name: (typeof roots)[number]): Hex => {
    const code = output.contracts?.[pathOf(name)]?.[name]?.evm.bytecode.object
    if (errors.length > 0 || code === undefined)
      throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n') || 'nothing compiled')
    return `0x${code}`
  }
  return { SplitFactory: codeOf('SplitFactory'), PullFactory: codeOf('PullFactory') }
}

function pathOf(name: (typeof roots)[number]): string {
  return `src/${name}.sol`
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
