import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { permit2Address, permit2Bytecode, permit2Salt } from '@sluice/contracts/abi/Permit2.ts'
import { pullFactoryBytecode } from '@sluice/contracts/abi/PullFactory.ts'
import { splitFactoryBytecode } from '@sluice/contracts/abi/SplitFactory.ts'
import { testCbBTCBytecode } from '@sluice/contracts/abi/TestCbBTC.ts'
import { testCbXRPBytecode } from '@sluice/contracts/abi/TestCbXRP.ts'
import { testUSDCBytecode } from '@sluice/contracts/abi/TestUSDC.ts'
import { testUSDTBytecode } from '@sluice/contracts/abi/TestUSDT.ts'
import { create2Address, create2Deployer, create2Deployment } from '@sluice/contracts/tools/create2.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { concat, type Hex, parseEther } from 'viem'
import { assert } from '../kernel/assert.ts'
import type { AnvilClient } from './anvil.ts'

/** Contract addresses. They are equal on every local chain, because CREATE2 derives them from the code. */
export type LocalContracts = {
  readonly factory: Wallet
  readonly pullFactory: Wallet
  readonly tokens: Readonly<Record<TestToken, Wallet>>
}

/** Creation code of the test tokens. Other tokens are unsupported on a local chain. */
const testTokens = {
  USDC: testUSDCBytecode,
  USDT: testUSDTBytecode,
  cbBTC: testCbBTCBytecode,
  cbXRP: testCbXRPBytecode,
} as const satisfies Partial<Record<TokenSymbol, Hex>>

type TestToken = keyof typeof testTokens

const multicall3: Hex = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** Canonical Permit2 deployment, which gives Permit2 the same address on every chain. */
const permit2Deployment = { to: create2Deployer, data: concat([permit2Salt, permit2Bytecode]) }

/** Sender of deployments: an account without a key, which anvil impersonates. */
const deployer: Hex = '0x5155000000000000000000000000000000000001'

/** Returns the addresses, whether or not the contracts are deployed. */
export function localContracts(): LocalContracts {
  const at = (initCode: Hex) => {
    const wallet = parseWallet(create2Address(initCode))
    assert(wallet, 'CREATE2 gives an address')
    return wallet
  }
  const tokens = Object.entries(testTokens).map(([symbol, initCode]) => [symbol, at(initCode)])
  return {
    factory: at(splitFactoryBytecode),
    pullFactory: at(pullFactoryBytecode),
    tokens: Object.fromEntries(tokens),
  }
}

/** Deploys missing factories, test tokens, Permit2 and Multicall3. Safe to repeat. */
export async function deployContracts(client: AnvilClient): Promise<LocalContracts> {
  const hasCode = async (address: Hex) => (await client.getCode({ address })) !== undefined
  const codes = [splitFactoryBytecode, pullFactoryBytecode, ...Object.values(testTokens)]
  const isThere = await Promise.all(codes.map((initCode) => hasCode(create2Address(initCode))))
  const missing = codes.filter((_, i) => !isThere[i])
  await actAsDeployer(client, [
    ...missing.map((initCode) => create2Deployment(initCode)),
    ...((await hasCode(permit2Address)) ? [] : [permit2Deployment]),
  ])
  if (!(await hasCode(multicall3))) {
    const { data } = await client.call({ data: multicall3CreationCode() })
    assert(data, 'a call with creation code returns the code')
    await client.setCode({ address: multicall3, bytecode: data })
  }
  for (const address of [...codes.map(create2Address), permit2Address]) {
    if (!(await hasCode(address))) throw new Error(`the contract at ${address} was not deployed`)
  }
  return localContracts()
}

export async function actAsDeployer(
  client: AnvilClient,
  calls: readonly { to: Hex; data: Hex }[],
): Promise<void> {
  if (calls.length === 0) return
  await client.setBalance({ address: deployer, value: parseEther('1000000') })
  await client.impersonateAccount({ address: deployer })
  const hashes: Hex[] = []
  for (const { to, data } of calls)
    hashes.push(await client.sendUnsignedTransaction({ from: deployer, to, data, gas: 8_000_000n }))
  await client.mine({ blocks: 1 })
  for (const hash of hashes) {
    const { status } = await client.waitForTransactionReceipt({ hash, timeout: 20_000 })
    if (status !== 'success') throw new Error(`transaction ${hash} reverted`)
  }
}

/** Reads the code from viem's files, because viem exports only the ABI. The viem version is pinned. */
function multicall3CreationCode(): Hex {
  const require = createRequire(import.meta.url)
  const file = join(dirname(require.resolve('viem')), 'constants', 'contracts.js')
  return (require(file) as { multicall3Bytecode: Hex }).multicall3Bytecode
}
