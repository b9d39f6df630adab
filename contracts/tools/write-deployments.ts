// SPDX-License-Identifier: Apache-2.0
/**
 * Writes the factories' release data: `deployments/releases.json`, and `deployments/standard-input.json`,
 * which a block explorer compiles to verify the source.
 *
 * `node tools/write-deployments.ts` writes the files. With `--check`, prints the files that differ, if any,
 * and exits with code 1. Code hashes are of the code deployed on a local chain. Entries under `earlier`
 * belong to published releases and must never change, because splits and deposits of these releases hold
 * money.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, type Hex, http, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { pullFactoryAbi, pullFactoryBytecode } from '../abi/PullFactory.ts'
import { splitFactoryAbi, splitFactoryBytecode } from '../abi/SplitFactory.ts'
import { startAnvil } from '../gas/anvil.ts'
import { create2Address, create2Deployer, create2Deployment, create2Salt } from './create2.ts'
import { contractsFolder } from './forge.ts'
import { compiler, compileStandardInput, standardInput } from './standard-input.ts'

/** The first account that anvil funds. */
const firstAccount = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

const folder = join(contractsFolder, 'deployments')
const releasesPath = join(folder, 'releases.json')
const inputPath = join(folder, 'standard-input.json')

const input = standardInput()
const compiled = compileStandardInput(input)
if (compiled.SplitFactory !== splitFactoryBytecode || compiled.PullFactory !== pullFactoryBytecode)
  throw new Error('standard-input.json does not compile to the factories of contracts/abi: run `npm run abi`')
const { earlier } = JSON.parse(readFileSync(releasesPath, 'utf8')) as { earlier: unknown[] }
const files = new Map([
  [releasesPath, print({ current: await pin(), earlier })],
  [inputPath, print(input)],
])

if (process.argv.includes('--check')) {
  // Compares the content only, because the formatter may break lines differently.
  const isSame = (path: string, text: string) =>
    JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))) === JSON.stringify(JSON.parse(text))
  const stale = [...files].filter(([path, text]) => !isSame(path, text))
  for (const [path] of stale) console.error(`${path} differs from the sources: run \`npm run abi\``)
  if (stale.length > 0) process.exitCode = 1
  else console.log('contracts/deployments: releases.json and standard-input.json equal their sources')
} else {
  for (const [path, text] of files) writeFileSync(path, text)
  console.log('contracts/deployments: releases.json and standard-input.json written')
}

/** Returns the factories' data that is known before any deployment. */
async function pin() {
  const factory = create2Address(splitFactoryBytecode)
  const pullFactory = create2Address(pullFactoryBytecode)
  const anvil = await startAnvil()
  try {
    const client = createPublicClient({ chain: foundry, transport: http(anvil.url), pollingInterval: 20 })
    const wallet = createWalletClient({ account: firstAccount, chain: foundry, transport: http(anvil.url) })
    for (const initCode of [splitFactoryBytecode, pullFactoryBytecode]) {
      const hash = await wallet.sendTransaction(create2Deployment(initCode))
      await client.waitForTransactionReceipt({ hash })
    }
    const at = async (address: Hex) => ({
      address,
      codeHash: keccak256((await client.getCode({ address })) ?? '0x'),
    })
    const read = (functionName: 'splitImplementation' | 'depositImplementation') =>
      client.readContract({ address: factory, abi: splitFactoryAbi, functionName })
    const pullerImplementation = await client.readContract({
      address: pullFactory,
      abi: pullFactoryAbi,
      functionName: 'pullerImplementation',
    })
    return {
      factory: await at(factory),
      splitImplementation: await at(await read('splitImplementation')),
      depositImplementation: await at(await read('depositImplementation')),
      pullFactory: await at(pullFactory),
      pullerImplementation: await at(pullerImplementation),
      deployer: create2Deployer,
      salt: create2Salt,
      initCodeHash: keccak256(splitFactoryBytecode),
      compiler,
    }
  } finally {
    anvil.stop()
  }
}

function print(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
