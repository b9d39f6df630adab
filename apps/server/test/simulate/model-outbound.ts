import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../src/chain/chain.ts'
import { toQuantity } from '../../src/chain/rpc/rpc.ts'
import { assert } from '../../src/kernel/assert.ts'
import type { Outbound } from '../../src/platform/outbound/outbound.ts'
import {
  type ChainModel,
  estimateGas,
  type MinedTransaction,
  type ModelBlock,
  readTransaction,
} from './chain-model.ts'
import { balanceOf, codeAt, nonceOf } from './chain-state.ts'

/** What an endpoint needs of a chain. */
export type ReadableChain = Pick<
  ChainModel,
  'options' | 'blocks' | 'head' | 'safe' | 'final' | 'call' | 'send' | 'pendingNonce'
>

/** Tip that the model suggests, in wei. */
const suggestedTip = 1_000_000n

class RpcFailure extends Error {
  readonly code: number
  readonly data: Hex | undefined

  constructor(code: number, message: string, data?: Hex) {
    super(message)
    this.code = code
    this.data = data
  }
}

/**
 * Answers batches of JSON-RPC calls from the model, whatever the URL. It knows the methods that the service
 * sends. Another one is a defect and rejects the request.
 *
 * @param codes - Code of contracts that the service compares. Other contracts have code of one byte.
 */
export function openModelOutbound(
  model: ReadableChain,
  codes: ReadonlyMap<Wallet, Hex> = new Map(),
): Outbound {
  return {
    async request({ body }) {
      const calls = JSON.parse(body ?? '') as { id: number; method: string; params: unknown[] }[]
      const responses: object[] = []
      for (const { id, method, params } of calls) {
        const outcome = await answer(model, codes, method, params).then(
          (result) => ({ result }),
          (error: unknown) => {
            if (!(error instanceof RpcFailure)) throw error
            return { error: { code: error.code, message: error.message, data: error.data } }
          },
        )
        responses.push({ jsonrpc: '2.0', id, ...outcome })
      }
      const text = JSON.stringify(responses)
      return { kind: 'response', status: 200, headers: {}, body: new TextEncoder().encode(text) }
    },
  }
}

async function answer(
  model: ReadableChain,
  codes: ReadonlyMap<Wallet, Hex>,
  method: string,
  [first, second]: unknown[],
): Promise<unknown> {
  switch (method) {
    case 'eth_chainId':
      return toQuantity(BigInt(model.options.chainId))
    case 'eth_getBlockByNumber': {
      const block = findBlock(model, first)
      return block ? viewBlock(block, second === true) : null
    }
    case 'eth_getLogs':
      return findLogs(model, first as LogQuery)
    case 'eth_getBlockReceipts': {
      const block = findBlock(model, first)
      return block ? block.transactions.map((_, i) => viewReceipt(block, i)) : null
    }
    case 'eth_getTransactionReceipt':
      return findReceipt(model, first as Hex)
    case 'eth_getBalance':
      return toQuantity(getBlock(model, second).state.get(balanceOf(nativeAddress, readWallet(first))))
    case 'eth_getCode':
      return readCode(model, codes, readWallet(first))
    case 'eth_getTransactionCount': {
      const account = readWallet(first)
      const { state } = getBlock(model, second === 'pending' ? 'latest' : second)
      return toQuantity(second === 'pending' ? model.pendingNonce(account) : state.get(nonceOf(account)))
    }
    case 'eth_maxPriorityFeePerGas':
      return toQuantity(suggestedTip)
    case 'eth_call':
      return call(model, first as CallQuery, second).data
    case 'eth_estimateGas':
      return toQuantity(estimateGas(first as CallQuery, call(model, first as CallQuery, 'latest')))
    case 'eth_sendRawTransaction': {
      const transaction = await readTransaction(first as Hex)
      const rejection = model.send(transaction)
      if (rejection) throw new RpcFailure(-32_000, rejection)
      return transaction.hash
    }
    default:
      assert(false, `the model does not know ${method}`)
  }
}

function findBlock(model: ReadableChain, tag: unknown): ModelBlock | undefined {
  if (tag === 'latest') return model.head
  if (tag === 'safe') return model.safe
  if (tag === 'finalized') return model.final
  return model.blocks[Number(tag)]
}

function getBlock(model: ReadableChain, tag: unknown): ModelBlock {
  const block = findBlock(model, tag)
  if (!block) throw new RpcFailure(-32_001, 'header not found')
  return block
}

type CallQuery = { from?: Hex; to?: Hex; data: Hex; value?: Hex }

function call(model: ReadableChain, { from, to, data, value }: CallQuery, tag: unknown) {
  if (!to) throw new RpcFailure(3, 'the model runs no code of its own', '0x')
  const sender = from === undefined ? nativeAddress : readWallet(from)
  const query = { from: sender, to: readWallet(to), value: BigInt(value ?? 0), data }
  const result = model.call(query, getBlock(model, tag))
  if (!result.isSuccess) throw new RpcFailure(3, 'execution reverted', result.data)
  return result
}

function readCode(model: ReadableChain, codes: ReadonlyMap<Wallet, Hex>, address: Wallet): Hex {
  const { contracts } = model.options
  const known = codes.get(address)
  if (known) return known
  const isContract =
    [contracts.factory, contracts.pullFactory].includes(address) ||
    contracts.tokens.has(address) ||
    contracts.refusing.has(address)
  return isContract || model.head.state.get(codeAt(address)) > 0n ? '0xfe' : '0x'
}

function viewBlock(block: ModelBlock, withTransactions: boolean) {
  const transactions = block.transactions.map(({ hash, from, to, value }) =>
    withTransactions ? { hash, from, to, value: toQuantity(value) } : hash,
  )
  return {
    number: toQuantity(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: toQuantity(block.timestamp),
    baseFeePerGas: toQuantity(block.baseFee),
    transactions,
  }
}

type LogQuery = {
  fromBlock: Hex
  toBlock: Hex
  address?: readonly Hex[]
  topics?: readonly (Hex | readonly Hex[] | null)[]
}

function findLogs(model: ReadableChain, { fromBlock, toBlock, address, topics = [] }: LogQuery) {
  const addresses = address && new Set(address.map(readWallet))
  const blocks = model.blocks.slice(Number(fromBlock), Number(toBlock) + 1)
  return blocks
    .flatMap((block) => block.transactions.flatMap((transaction) => viewLogs(block, transaction)))
    .filter(
      (log) =>
        (!addresses || addresses.has(log.address)) &&
        topics.every((wanted, i) => wanted === null || [wanted].flat().includes(log.topics[i] as Hex)),
    )
}

function viewLogs(block: ModelBlock, { hash, events, firstLogIndex }: MinedTransaction) {
  return events.map((event, i) => ({
    ...event,
    blockNumber: toQuantity(block.number),
    blockHash: block.hash,
    transactionHash: hash,
    logIndex: toQuantity(BigInt(firstLogIndex + i)),
    removed: false,
  }))
}

function findReceipt(model: ReadableChain, hash: Hex) {
  for (const block of model.blocks) {
    const index = block.transactions.findIndex((each) => each.hash === hash)
    if (index >= 0) return viewReceipt(block, index)
  }
  return null
}

function viewReceipt(block: ModelBlock, index: number) {
  const transaction = block.transactions[index] as MinedTransaction
  return {
    transactionHash: transaction.hash,
    blockNumber: toQuantity(block.number),
    blockHash: block.hash,
    status: transaction.isSuccess ? '0x1' : '0x0',
    gasUsed: toQuantity(transaction.gasUsed),
    effectiveGasPrice: toQuantity(transaction.gasPrice),
    logs: viewLogs(block, transaction),
  }
}

function readWallet(value: unknown): Wallet {
  const wallet = parseWallet(value)
  assert(wallet, 'the service sends valid addresses')
  return wallet
}
