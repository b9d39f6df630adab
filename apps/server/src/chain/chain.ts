import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, hexToBigInt, parseAbi, size } from 'viem'
import type { ChainTime } from './chain-time.ts'

/** Bytes as `0x` and lower-case hex. */
export type Hex = `0x${string}`

/** What is known of a block without its body. */
export type BlockHeader = {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  /** The block's own time, whole seconds on the chain. */
  readonly at: UnixMs
}

/** A top-level transaction as it stands in a block: enough to find plain payments in the chain's coin. */
export type BlockTransaction = {
  readonly hash: Hex
  readonly from: Wallet
  readonly to: Wallet | undefined
  readonly value: bigint
}

/** A block with its top-level transactions. */
export type Block = BlockHeader & {
  readonly transactions: readonly BlockTransaction[]
}

/** One log, from a block that was canonical when it was read. */
export type ChainLog = {
  readonly address: Wallet
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly logIndex: number
}

/** Where the chain stands: the newest block, the newest that is safe and the newest that is final. */
export type ChainHead = {
  readonly latest: BlockHeader
  readonly safe: BlockHeader
  readonly final: BlockHeader
}

/** What became of a transaction; `undefined` from `findReceipt` while it is in no block. */
export type TransactionReceipt = {
  readonly hash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly isSuccess: boolean
  readonly logs: readonly ChainLog[]
  readonly gasUsed: bigint
  /** What its sender paid, the data on a chain below included; zero where the node does not say. */
  readonly fee: bigint
}

/** A block with what became of each of its transactions, in their order. */
export type BlockReceipts = { readonly block: Block; readonly receipts: readonly TransactionReceipt[] }

/** What a call came to; a revert is an outcome, not a fault. */
export type CallOutcome =
  | { readonly ok: true; readonly data: Hex }
  | { readonly ok: false; readonly data: Hex }

/** Which logs to read, wherever they stand. */
export type LogPattern = {
  readonly addresses?: readonly Wallet[]
  readonly topics: readonly (Hex | readonly Hex[] | null)[]
}

/** Which logs to read: like `eth_getLogs`, both ends included. */
export type LogFilter = LogPattern & { readonly from: bigint; readonly to: bigint }

/** Some blocks, and logs in them. */
export type RangeQuestion = {
  readonly from: bigint
  readonly to: bigint
  readonly withTransactions: boolean
  readonly filters: readonly LogFilter[]
}

/** The blocks, each the parent of the next, and the logs in the order of the filters. */
export type RangeAnswer = {
  readonly blocks: readonly (BlockHeader | Block)[]
  readonly logs: readonly ChainLog[]
}

/**
 * The one chain of this deployment, as the modules see it: a library of reads and one write,
 * without callbacks. Every answer comes from outside and was checked for its form.
 *
 * @throws {ChainUnavailable} where no endpoint gives a usable answer in time.
 */
export interface Chain {
  readonly id: number
  /** Shown to people, `Base` for example. */
  readonly name: string
  /** Where a transaction can be looked at, without a slash at the end; `undefined` where there is none. */
  readonly explorerUrl: string | undefined
  /** The tokens taken on this chain, in the order they are offered; the chain's own coin included. */
  readonly tokens: readonly Token[]
  readonly factory: Wallet
  /** Where deposits are paid by permits; `undefined` where they are not. */
  readonly pullFactory: Wallet | undefined
  /** Whether transactions cost nothing worth a thought. */
  readonly isGasFree: boolean
  /** The time of deadlines; every look at the head tells it. */
  readonly time: ChainTime
  readHead(): Promise<ChainHead>
  /** The canonical header of a height, `undefined` above the head. */
  findHeader(number: bigint): Promise<BlockHeader | undefined>
  /** As {@link findHeader} for many heights, in few requests and in their order. */
  findHeaders(numbers: readonly bigint[]): Promise<(BlockHeader | undefined)[]>
  /** Headers of `from`…`to`, both included, each the parent of the next. */
  readHeaders(from: bigint, to: bigint): Promise<BlockHeader[]>
  /** As {@link readHeaders}, with the transactions. */
  readBlocks(from: bigint, to: bigint): Promise<Block[]>
  /** Logs in the order of the chain. A range an endpoint finds too large is halved, never cut short. */
  readLogs(filter: LogFilter): Promise<ChainLog[]>
  /** As {@link readLogs} for several filters in one request, in the order of the filters. */
  readLogsOfAll(filters: readonly LogFilter[]): Promise<ChainLog[]>
  /** {@link readHeaders} or {@link readBlocks}, and {@link readLogsOfAll}, in one request where the blocks are few. */
  readRange(range: RangeQuestion): Promise<RangeAnswer>
  /** Balances in the chain's coin, in the order asked, as of a block; of many, `readAmounts` asks in fewer requests. */
  readBalances(addresses: readonly Wallet[], at: bigint | 'latest'): Promise<bigint[]>
  /** Which of the addresses have code, in the order asked. */
  readHasCode(addresses: readonly Wallet[]): Promise<boolean[]>
  /** The code at an address in the newest state; `0x` where there is none. */
  readCode(address: Wallet): Promise<Hex>
  /** `eth_call`; a revert is an outcome, not a fault. */
  call(
    to: Wallet,
    data: Hex,
    at?: bigint | 'latest',
  ): Promise<{ ok: true; data: Hex } | { ok: false; data: Hex }>
  /**
   * As {@link call}, many in few requests and in their order. As of a block its answers are agreed upon like the
   * block itself; those of the newest state are one endpoint's.
   */
  callMany(
    calls: readonly { readonly to: Wallet; readonly data: Hex }[],
    at?: bigint | 'latest',
  ): Promise<CallOutcome[]>
  /** A block with its transactions' receipts: all that was logged in it, whatever a list of logs leaves out. */
  readReceipts(number: bigint): Promise<BlockReceipts>
  /**
   * `eth_call` of creation code that is never deployed: what it returns, in the newest state. Where several
   * endpoints are configured two have to say the same, since one alone could let anybody in.
   *
   * @param funds - Coin that the code is given to spend, of somebody who has it.
   */
  callCode(
    code: Hex,
    funds?: { from: Wallet; value: bigint },
  ): Promise<{ ok: true; data: Hex } | { ok: false; data: Hex }>
  /**
   * What {@link callCode} answers is more than one stranger's word: endpoints of different hosts have to agree, or
   * the only one is on this machine.
   */
  readonly isCorroborated: boolean
  /** @param within - The block it is known to stand in: then it is agreed upon like the block itself. */
  findReceipt(transactionHash: Hex, within?: bigint): Promise<TransactionReceipt | undefined>
  /**
   * As {@link findReceipt} for many, in few requests and in their order.
   *
   * @param within - No lower than any of the blocks they are known to stand in.
   */
  findReceipts(
    transactionHashes: readonly Hex[],
    within?: bigint,
  ): Promise<(TransactionReceipt | undefined)[]>
  /** The next nonce of an account, pending transactions included where asked. */
  readNonce(account: Wallet, tag: 'latest' | 'pending'): Promise<number>
  /** Fees per gas that a transaction sent now should offer. */
  readFees(): Promise<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }>
  estimateGas(call: {
    from: Wallet
    to: Wallet
    data: Hex
    value?: bigint
  }): Promise<{ ok: true; gas: bigint } | { ok: false; data: Hex }>
  /** Broadcasts signed bytes. Bytes the node knows already, or that are mined already, are no fault. */
  sendRaw(raw: Hex): Promise<void>
}

const oracle = '0x420000000000000000000000000000000000000F' as Wallet
const abi = parseAbi(['function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)'])

/**
 * What a transaction of so many bytes pays at most for its data on the chain below, beside its gas; zero on a
 * chain that stands on no other.
 *
 * @throws {ChainUnavailable}
 */
export async function readDataFee(chain: Pick<Chain, 'call'>, byteCount: number): Promise<bigint> {
  const args = [BigInt(byteCount)] as const
  const answer = await chain.call(
    oracle,
    encodeFunctionData({ abi, functionName: 'getL1FeeUpperBound', args }),
  )
  return answer.ok && size(answer.data) === 32 ? hexToBigInt(answer.data) : 0n
}
