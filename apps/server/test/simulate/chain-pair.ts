import { isDeepStrictEqual } from 'node:util'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import type { Chain, Hex } from '../../src/chain/chain.ts'
import { ChainUnavailable } from '../../src/chain/chain-time.ts'
import { describeNetwork } from '../../src/chain/networks.ts'
import { type AskedAmount, readAmounts } from '../../src/chain/read-amounts.ts'
import { connectChain } from '../../src/chain/rpc/connect-chain.ts'
import { assert } from '../../src/kernel/assert.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { makeLog } from '../../src/platform/log.ts'
import { openOutbound } from '../support/api/outbound.ts'
import { type Call, startTestChain, type TestChain } from '../support/chain/test-chain.ts'
import { ChainModel, nextBaseFee, type Replay, readTransaction } from './chain-model.ts'
import { balanceOf, nonceOf } from './chain-state.ts'
import { openModelOutbound } from './model-outbound.ts'

/** Reads that both chains must answer alike, besides blocks, logs and receipts. */
export type Questions = {
  /** Read at old blocks, too. */
  readonly amounts: readonly AskedAmount[]
  /** Run in the newest state. */
  readonly calls: readonly { readonly from: Wallet; readonly to: Wallet; readonly data: Hex }[]
  readonly addresses: readonly Wallet[]
}

/** Fees high enough for every block of a test, times `factor`. */
const feesTimes = (factor: bigint) => ({
  maxFeePerGas: 20_000_000_000n * factor,
  maxPriorityFeePerGas: 1_000_000n * factor,
})

/** Anvil with the real contracts and the model, which do the same. The service's own code reads both. */
export class ChainPair {
  readonly node: TestChain
  readonly model: ChainModel
  readonly #real: Chain
  readonly #modeled: Chain
  readonly #gasOf: Map<Hex, bigint>
  readonly #hashes = new Set<Hex>()

  constructor(node: TestChain, model: ChainModel, gasOf: Map<Hex, bigint>) {
    const network = describeNetwork(node.chainId, node.contracts)
    const needs = { clock: systemClock, log: makeLog('silent') }
    this.node = node
    this.model = model
    this.#gasOf = gasOf
    this.#real = connectChain({ ...needs, outbound: openOutbound() }, network, [node.rpcUrl])
    this.#modeled = connectChain({ ...needs, outbound: openModelOutbound(model) }, network, [
      'http://model.test',
    ])
  }

  /**
   * Sends the next call of an account to both chains, or a replacement of its newest pending one.
   *
   * @param feeFactor - Given for a replacement. With 1, the fee is too low.
   */
  async send(sender: number, call: Call, feeFactor?: bigint): Promise<void> {
    const { address } = this.#accountAt(sender)
    const [pending, modeled] = await this.#both((chain) => chain.readNonce(address, 'pending'))
    expect(modeled).toBe(pending)
    const hasPending = pending > (await this.#real.readNonce(address, 'latest'))
    const nonce = feeFactor && hasPending ? pending - 1 : pending
    const { raw } = await this.sign(sender, call, nonce, feeFactor)
    const isTaken = await this.#both((chain) =>
      chain.sendRaw(raw).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ChainUnavailable) return false
          throw error
        },
      ),
    )
    expect(isTaken[1]).toBe(isTaken[0])
  }

  /** Signs without sending: a transaction of another branch. */
  async sign(
    sender: number,
    { to, data = '0x', value = 0n, gas = 1_000_000n }: Call,
    nonce: number,
    factor = 1n,
  ) {
    const raw = await privateKeyToAccount(this.#accountAt(sender).privateKey).signTransaction({
      ...{ chainId: this.node.chainId, type: 'eip1559', to, data, value, gas, nonce },
      ...feesTimes(factor),
    })
    const transaction = await readTransaction(raw)
    this.#hashes.add(transaction.hash)
    return transaction
  }

  async mine(blockCount: number, secondsApart: number): Promise<void> {
    await this.node.mine(blockCount, secondsApart)
    await this.#learnGas(blockCount)
    this.model.mine(blockCount, secondsApart)
  }

  async reorg(depth: number, replay: readonly Replay[], secondsApart: number): Promise<void> {
    const { client } = this.node
    const fork = this.model.blocks.at(-1 - depth)
    assert(fork, 'a reorg keeps the first block')
    await client.setBlockTimestampInterval({ interval: secondsApart })
    // Anvil would go on with the fee of the removed blocks, against EIP-1559.
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: nextBaseFee(fork) })
    const raws = replay.map(({ transaction, offset }) => ({ raw: transaction.raw, offset }))
    await this.node.reorg(depth, raws)
    await client.setBlockTimestampInterval({ interval: 0 })
    await this.#learnGas(depth)
    this.model.reorg(depth, replay, secondsApart)
  }

  /** Number of blocks that both mined. */
  get blockCount(): number {
    return Number(this.model.head.number - this.model.options.first.number)
  }

  /** Compares everything that the service reads, in the newest `blockCount` blocks or all. */
  async compare(questions: Questions, blockCount = this.blockCount): Promise<void> {
    const to = this.model.head.number
    const from = to - BigInt(Math.min(blockCount, this.blockCount)) + 1n
    const [real, modeled] = await this.#both((chain) => this.#readAll(chain, { from, to }, questions))
    expect(modeled).toEqual(real)
  }

  async #readAll(chain: Chain, { from, to }: { from: bigint; to: bigint }, questions: Questions) {
    const { amounts, calls, addresses } = questions
    const hashes = [...this.#hashes]
    const heights = Array.from({ length: Number(to - from) + 1 }, (_, i) => from + BigInt(i))
    const contracts = [...addresses, ...chain.tokens.map(({ address }) => address), chain.factory]
    const accounts = this.node.accounts.map(({ address }) => address)
    const fees = await chain.readFees()
    const noncesAt = (tag: 'latest' | 'pending') =>
      Promise.all(accounts.map((account) => chain.readNonce(account, tag)))
    const [latest, pending] = [await noncesAt('latest'), await noncesAt('pending')]
    const read = {
      head: await chain.readHead(),
      blocks: await chain.readBlocks(from, to),
      above: await chain.findHeader(to + 1n),
      logs: await chain.readLogsOfAll([
        { from, to, addresses: contracts, topics: [] },
        { from, to, topics: [null, null, addresses.map(toTopic)] },
      ]),
      receiptsOfBlocks: await Promise.all(heights.map((number) => chain.readReceipts(number))),
      receipts: await chain.findReceipts(hashes),
      amounts: await Promise.all([from, to].map((at) => readAmounts(chain, amounts, at))),
      balances: await chain.readBalances(addresses, 'latest'),
      calls: await chain.callMany(calls),
      // Anvil estimates with the mempool, the model without.
      estimates: isDeepStrictEqual(latest, pending)
        ? await Promise.all(calls.map((each) => chain.estimateGas(each).then((it) => it.ok || it.data)))
        : [],
      nonces: [latest, pending],
      hasCode: await chain.readHasCode(contracts),
      baseFee: fees.maxFeePerGas - fees.maxPriorityFeePerGas,
    }
    return withoutBlockHashes(read, await chain.readHeaders(0n, to))
  }

  /** The gas of the EVM is no part of the model. Fees and balances follow from it. */
  async #learnGas(blockCount: number): Promise<void> {
    const head = await this.node.client.getBlockNumber()
    for (let i = 0n; i < BigInt(blockCount); i++)
      for (const { hash, gasUsed } of (await this.#real.readReceipts(head - i)).receipts)
        this.#gasOf.set(hash, gasUsed)
  }

  #accountAt(index: number): TestChain['accounts'][number] {
    const account = this.node.accounts[index]
    assert(account, 'the chain has five accounts')
    return account
  }

  #both<T>(read: (chain: Chain) => Promise<T>): Promise<[T, T]> {
    return Promise.all([read(this.#real), read(this.#modeled)])
  }
}

/** Starts anvil with funded accounts, and the model in the same state. */
export async function startPair(
  seed: number,
  slotsInAnEpoch: number,
  refusing: readonly Wallet[],
): Promise<ChainPair> {
  const node = await startTestChain({ blockTime: 'manual', slotsInAnEpoch })
  const { client, contracts } = node
  for (const address of refusing) await client.setCode({ address, bytecode: '0x5f5ffd' })
  for (const { address } of node.accounts) await node.fund(address)
  const { number, timestamp, baseFeePerGas, gasUsed } = await client.getBlock()
  const gasOf = new Map<Hex, bigint>()
  const model = new ChainModel({
    chainId: node.chainId,
    seed,
    slotsInAnEpoch,
    first: { number, timestamp, gasUsed, baseFee: baseFeePerGas ?? 0n },
    contracts: {
      factory: contracts.factory,
      pullFactory: contracts.pullFactory,
      tokens: new Map(Object.entries(contracts.tokens).map(([symbol, address]) => [address, symbol])),
      refusing: new Set(refusing),
      splits: new Map(),
      signatures: new Map(),
    },
    gasOf: (hash) => gasOf.get(hash),
  })
  for (const { address } of node.accounts) {
    model.set(nonceOf(address), BigInt(await client.getTransactionCount({ address })))
    model.set(balanceOf(nativeAddress, address), await client.getBalance({ address }))
    for (const token of Object.values(contracts.tokens)) {
      const data = tokenBalanceCall(address)
      const { data: balance } = await client.call({ to: token, data })
      model.set(balanceOf(token, address), BigInt(balance ?? 0))
    }
  }
  return new ChainPair(node, model, gasOf)
}

export function tokenBalanceCall(owner: Wallet): Hex {
  return `0x70a08231${toTopic(owner).slice(2)}`
}

function toTopic(address: Wallet): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}

/** Names blocks by their number, and checks that a block has the same hash everywhere. */
function withoutBlockHashes(value: unknown, headers: readonly { number: bigint; hash: Hex }[]): unknown {
  const names = new Map(headers.map(({ number, hash }) => [hash, `block ${number}`]))
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' ? `${each}n` : (names.get(each as Hex) ?? each),
  )
  return JSON.parse(text)
}
