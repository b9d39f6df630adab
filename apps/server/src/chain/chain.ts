import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, hexToBigInt, parseAbi, size } from 'viem'
import type { ChainTime } from './chain-time.ts'

/** Bytes as `0x` and lower-case hex. */
export type Hex = `0x${string}`

/** Header of a block. Only the hash identifies a block: another branch can have the same number. */
export type BlockHeader = {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  /** Block timestamp, in whole seconds on the chain. */
  readonly at: UnixMs
}

/** Transaction of a block. `to` is absent for a contract creation. `value` is in wei. */
export type BlockTransaction = {
  readonly hash: Hex
  readonly from: Wallet
  readonly to: Wallet | undefined
  readonly value: bigint
}

/** Block with its transactions, which explain transfers of the native token. */
export type Block = BlockHeader & {
  readonly transactions: readonly BlockTransaction[]
}

/** Event log. Chain, transaction and `logIndex` identify it permanently. */
export type ChainLog = {
  readonly address: Wallet
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly logIndex: number
}

/** Newest block, and the newest blocks that the chain reports as safe and as final. */
export type ChainHead = {
  readonly latest: BlockHeader
  readonly safe: BlockHeader
  readonly final: BlockHeader
}

/** Receipt of a transaction, with all of its logs in order. */
export type TransactionReceipt = {
  readonly hash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly isSuccess: boolean
  readonly logs: readonly ChainLog[]
  readonly gasUsed: bigint
  /** Fee that the sender paid, including L1 data; zero if the node does not report it. */
  readonly fee: bigint
}

export type BlockReceipts = { readonly block: Block; readonly receipts: readonly TransactionReceipt[] }

/** Result of a call. If `ok` is false, the contract reverted and `data` is its revert data. */
export type CallOutcome =
  | { readonly ok: true; readonly data: Hex }
  | { readonly ok: false; readonly data: Hex }

/**
 * Addresses and topics of a log filter. Without addresses, every address matches. `null` matches any topic.
 */
export type LogPattern = {
  readonly addresses?: readonly Wallet[]
  readonly topics: readonly (Hex | readonly Hex[] | null)[]
}

/** Log filter as in `eth_getLogs`: both ends are inclusive. */
export type LogFilter = LogPattern & { readonly from: bigint; readonly to: bigint }

export type RangeQuestion = {
  readonly from: bigint
  readonly to: bigint
  readonly withTransactions: boolean
  readonly filters: readonly LogFilter[]
}

/** Blocks, each the parent of the next, and logs in the order of the filters. */
export type RangeResponse = {
  readonly blocks: readonly (BlockHeader | Block)[]
  readonly logs: readonly ChainLog[]
}

/**
 * The deployment's chain. Every response is untrusted input whose format was checked.
 *
 * @throws {ChainUnavailable} if no endpoint gives a usable answer in time.
 */
export interface Chain {
  readonly id: number
  readonly name: string
  /** Base URL of a block explorer, without a trailing slash. */
  readonly explorerUrl: string | undefined
  readonly tokens: readonly Token[]
  readonly factory: Wallet
  readonly pullFactory: Wallet | undefined
  /** Whether the cost of gas is negligible. */
  readonly isGasFree: boolean
  /** Clock for deadlines; every head poll updates it. */
  readonly time: ChainTime
  readHead(): Promise<ChainHead>
  /** Returns the canonical header at a height, or `undefined` above the head. */
  findHeader(number: bigint): Promise<BlockHeader | undefined>
  findHeaders(numbers: readonly bigint[]): Promise<(BlockHeader | undefined)[]>
  /** Returns the headers from `from` to `to`, both included, each the parent of the next. */
  readHeaders(from: bigint, to: bigint): Promise<BlockHeader[]>
  readBlocks(from: bigint, to: bigint): Promise<Block[]>
  /** Returns logs in chain order. Halves a range that is too large for an endpoint; never truncates. */
  readLogs(filter: LogFilter): Promise<ChainLog[]>
  /** Returns the logs of several filters with one request, in the order of the filters. */
  readLogsOfAll(filters: readonly LogFilter[]): Promise<ChainLog[]>
  readRange(range: RangeQuestion): Promise<RangeResponse>
  /**
   * Returns native balances in the order of `addresses`. For many addresses, `readAmounts` needs fewer
   * requests.
   */
  readBalances(addresses: readonly Wallet[], at: bigint | 'latest'): Promise<bigint[]>
  readHasCode(addresses: readonly Wallet[]): Promise<boolean[]>
  /** Returns the code in the newest state, or `0x` if there is none. */
  readCode(address: Wallet): Promise<Hex>
  call(
    to: Wallet,
    data: Hex,
    at?: bigint | 'latest',
  ): Promise<{ ok: true; data: Hex } | { ok: false; data: Hex }>
  /**
   * Runs many calls in few requests, in their order.
   *
   * For calls at a block, endpoints must agree as they must on the block itself. In the newest state, one
   * endpoint answers.
   */
  callMany(
    calls: readonly { readonly to: Wallet; readonly data: Hex }[],
    at?: bigint | 'latest',
  ): Promise<CallOutcome[]>
  /** Returns a block with all its receipts. The result is complete even if an endpoint's log list is not. */
  readReceipts(number: bigint): Promise<BlockReceipts>
  /**
   * Runs `eth_call` in the newest state with creation code that is never deployed.
   *
   * If several endpoints are configured, two must agree: a single one could authenticate anyone.
   *
   * @param funds - Native coin that the code may spend, from a funded account.
   */
  callCode(
    code: Hex,
    funds?: { from: Wallet; value: bigint },
  ): Promise<{ ok: true; data: Hex } | { ok: false; data: Hex }>
  /**
   * Whether {@link callCode} is trustworthy: endpoints of different hosts must agree, or the only one is
   * local.
   */
  readonly isCorroborated: boolean
  /**
   * @param within - Known block of the transaction: endpoints must then agree as they must on the block
   * itself.
   */
  findReceipt(transactionHash: Hex, within?: bigint): Promise<TransactionReceipt | undefined>
  /**
   * Returns many receipts with few requests, in the order of the hashes.
   *
   * @param within - At least the highest known block of the transactions.
   */
  findReceipts(
    transactionHashes: readonly Hex[],
    within?: bigint,
  ): Promise<(TransactionReceipt | undefined)[]>
  readNonce(account: Wallet, tag: 'latest' | 'pending'): Promise<number>
  readFees(): Promise<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }>
  estimateGas(call: {
    from: Wallet
    to: Wallet
    data: Hex
    value?: bigint
  }): Promise<{ ok: true; gas: bigint } | { ok: false; data: Hex }>
  /** Broadcasts signed bytes. Succeeds if the node already knows or has mined them. */
  sendRaw(raw: Hex): Promise<void>
}

const oracle = '0x420000000000000000000000000000000000000F' as Wallet
const abi = parseAbi(['function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)'])

/**
 * Returns the maximum L1 data fee for `byteCount` bytes, in addition to gas; zero if the chain has no L1.
 *
 * @throws {ChainUnavailable}
 */
export async function readDataFee(chain: Pick<Chain, 'call'>, byteCount: number): Promise<bigint> {
  const args = [BigInt(byteCount)] as const
  const response = await chain.call(
    oracle,
    encodeFunctionData({ abi, functionName: 'getL1FeeUpperBound', args }),
  )
  return response.ok && size(response.data) === 32 ? hexToBigInt(response.data) : 0n
}
