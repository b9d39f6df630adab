// SPDX-License-Identifier: Apache-2.0
import {
  type Abi,
  type Account,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  createWalletClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  keccak256,
  parseEther,
  publicActions,
  testActions,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { merchantSplitAbi } from '../abi/MerchantSplit.ts'
import { pullFactoryBytecode } from '../abi/PullFactory.ts'
import { splitFactoryAbi, splitFactoryBytecode } from '../abi/SplitFactory.ts'
import { testUSDCAbi, testUSDCBytecode } from '../abi/TestUSDC.ts'
import { create2Address, create2Deployment } from '../tools/create2.ts'

/** The first account that anvil funds. */
const payer: Account = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)

/** Token address that stands for ETH. */
export const eth: Address = '0x0000000000000000000000000000000000000000'

/** A split on the bench, with its recipients and shares. */
export type BenchSplit = { address: Address; recipients: Address[]; bps: number[]; salt: Hex }

/** A chain with the factories and a token, for measuring the gas of calls. */
export type Bench = Awaited<ReturnType<typeof openBench>>

/** Deploys the factories and the token on the chain at `url`. Amounts are in base units; gas is `gasUsed`. */
export async function openBench(url: string) {
  const client = openClient(url)
  const factory = create2Address(splitFactoryBytecode)
  const token = create2Address(testUSDCBytecode)

  /**
   * Sends a transaction and returns its gas, including the base cost of 21,000. Throws if the transaction
   * fails.
   */
  async function send(to: Address, data: Hex, value = 0n): Promise<bigint> {
    const hash = await client.sendTransaction({ to, data, value })
    const receipt = await client.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} failed`)
    return receipt.gasUsed
  }

  /** Like {@link send}, but calls a contract function. */
  function call<
    const abi extends Abi,
    name extends ContractFunctionName<abi, 'nonpayable' | 'payable'>,
    const args extends ContractFunctionArgs<abi, 'nonpayable' | 'payable', name>,
  >(to: Address, abi: abi, functionName: name, args: args, value = 0n): Promise<bigint> {
    return send(to, encodeFunctionData({ abi, functionName, args } as never), value)
  }

  /** Returns a split with unsorted recipients, who already hold ETH and the token, and with uneven shares. */
  async function chooseSplit(name: string, count: number): Promise<BenchSplit> {
    const recipients = Array.from({ length: count }, (_, i) =>
      getAddress(`0x${keccak256(toHex(`${name}/${i}`)).slice(26)}`),
    )
    const bps = recipients.map((_, i) => (i === 0 ? 0 : Math.floor(10_000 / count) + i - 7))
    bps[0] = 10_000 - bps.reduce((sum, share) => sum + share, 0)
    for (const recipient of recipients) {
      await client.setBalance({ address: recipient, value: parseEther('1') })
      await call(token, testUSDCAbi, 'mint', [recipient, 1n])
    }
    const salt = keccak256(toHex(name))
    const address = await client.readContract({
      address: factory,
      abi: splitFactoryAbi,
      functionName: 'predictSplit',
      args: [recipients, bps, salt],
    })
    return { address, recipients, bps, salt }
  }

  const createSplit = ({ recipients, bps, salt }: BenchSplit) =>
    call(factory, splitFactoryAbi, 'createSplit', [recipients, bps, salt])

  const distribute = (split: BenchSplit, of: Address) =>
    call(split.address, merchantSplitAbi, 'distribute', [of])

  /** Mints `amount` of the token to `to`. */
  const mint = (to: Address, amount: bigint) => call(token, testUSDCAbi, 'mint', [to, amount])

  for (const code of [splitFactoryBytecode, pullFactoryBytecode, testUSDCBytecode]) {
    const { to, data } = create2Deployment(code)
    await send(to, data)
  }
  await mint(payer.address, 1_000_000_000_000n)
  return { client, payer, factory, token, send, call, chooseSplit, createSplit, distribute, mint }
}

function openClient(url: string) {
  const options = { account: payer, chain: foundry, transport: http(url), pollingInterval: 20 }
  return createWalletClient(options)
    .extend(publicActions)
    .extend(testActions({ mode: 'anvil' }))
}
