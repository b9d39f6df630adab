import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Block, BlockHeader, Chain, ChainLog, LogPattern } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { sweptTopic, transferTopic } from '../../split/ledger/decode-events.ts'
import type { Target } from '../attempts/targets.ts'
import type { PaymentBlock } from '../ledger/payment.ts'
import type { NativeMove } from '../ledger/place-store.ts'
import {
  paymentTopic,
  readNativeSweep,
  readPaymentLog,
  readTransferLog,
  type Transfer,
} from '../ledger/transfer.ts'
import { readNativeTransfers } from './read-native-transfers.ts'
import { addressesPerFilter, planTokenPatterns, readTokenLogs } from './read-token-logs.ts'

/** All that happened in a range of blocks which may concern us. */
export type RangeReading = {
  readonly transfers: readonly Transfer[]
  /** Coin that reached deposit addresses by top-level transactions, and coin swept from them. */
  readonly coin: readonly NativeMove[]
}

/** Whose movements are read. */
export type Watched = {
  /** Every split of ours, so that nobody else's logs come: anyone can emit ours by the thousand. */
  readonly splits: readonly Wallet[]
  /** Every factory of ours, where sweeps are wanted; the one of now where absent. */
  readonly factories?: readonly Wallet[] | undefined
  readonly targets: readonly Target[]
}

/**
 * Reads a range: calls to splits, token transfers to the deposit addresses of the targets, plain coin to
 * them where the blocks came with their transactions, and sweeps.
 *
 * @param blocks - The range, each the parent of the next.
 * @param logs - The range's, where they were read already.
 * @throws {ChainUnavailable}, also where logs and blocks come from different views of the chain.
 */
export async function readTransfers(
  chain: Chain,
  blocks: readonly (BlockHeader | Block)[],
  { splits, factories = [chain.factory], targets }: Watched,
  logs?: RangeLogs,
): Promise<RangeReading> {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last) return { transfers: [], coin: [] }
  const range = { from: first.number, to: last.number }
  const place = placing(blocks)
  const { own: ownLogs, token: tokenLogs } =
    logs ?? (await readRangeLogs(chain, range, { splits, factories, targets }))
  const native = await readNativeTransfers(chain, blocks, targets)
  const transfers: Transfer[] = []
  for (const log of ownLogs) add(transfers, readPaymentLog(log, place(log)))
  for (const log of tokenLogs) add(transfers, readTransferLog(log, place(log)))
  for (const transfer of native) transfers.push(transfer)
  return {
    transfers,
    coin: [
      ...ownLogs.flatMap((log) => readNativeSweep(log, factories) ?? []),
      ...native.map(({ txHash, logIndex, depositAddress, amount, block }) => {
        return { txHash, logIndex, depositAddress, amount, blockNumber: block.number }
      }),
    ],
  }
}

/** Finds the block of logs, of which most stand in that of the one before. */
function placing(blocks: readonly BlockHeader[]): (log: ChainLog) => PaymentBlock {
  const placed = new Map(blocks.map(({ number, hash, at }) => [number, { number, hash, at }]))
  let block: PaymentBlock | undefined
  return (log) => {
    if (block?.number !== log.blockNumber) block = placed.get(log.blockNumber)
    if (block?.hash !== log.blockHash)
      throw new ChainUnavailable('The chain returned logs and blocks that do not match')
    return block
  }
}

function add(transfers: Transfer[], transfer: Transfer | undefined): void {
  if (transfer) transfers.push(transfer)
}

/** Logs of a range that may concern us: of our own contracts, and of listed tokens. */
export type RangeLogs = { readonly own: readonly ChainLog[]; readonly token: readonly ChainLog[] }

/** Reads them, both kinds in one request. */
export async function readRangeLogs(
  chain: Chain,
  range: { from: bigint; to: bigint },
  watched: Watched,
): Promise<RangeLogs> {
  if (range.to < range.from) return { own: [], token: [] }
  const own = ownPatterns(chain, watched).map((pattern) => ({ ...pattern, ...range }))
  return sortLogs(await readTokenLogs(chain, range, watched.targets, own))
}

/** So many blocks at most are asked for together with their logs: more fill a batch of their own. */
const fewBlocks = 10n

/**
 * The blocks of a range and the logs: all at once, since a payment is not to wait for one after the other of a chain that
 * is far away.
 */
export async function readBlocksAndLogs(
  chain: Chain,
  { from, to }: { from: bigint; to: bigint },
  { watched, withTransactions }: { watched: Watched; withTransactions: boolean },
): Promise<{ blocks: readonly (BlockHeader | Block)[]; logs: RangeLogs }> {
  if (to < from) return { blocks: [], logs: { own: [], token: [] } }
  const count = to - from + 1n
  const { byReceiver, all } = planTokenPatterns(chain, Number(count), watched.targets)
  if (count <= fewBlocks && !all) {
    const patterns = [...ownPatterns(chain, watched), ...byReceiver]
    const filters = patterns.map((pattern) => ({ ...pattern, from, to }))
    const { blocks, logs } = await chain.readRange({ from, to, withTransactions, filters })
    return { blocks, logs: sortLogs(logs) }
  }
  const [blocks, logs] = await Promise.all([
    withTransactions ? chain.readBlocks(from, to) : chain.readHeaders(from, to),
    readRangeLogs(chain, { from, to }, watched),
  ])
  return { blocks, logs }
}

function sortLogs(logs: readonly ChainLog[]): RangeLogs {
  const own: ChainLog[] = []
  const token: ChainLog[] = []
  for (const log of logs) (log.topics[0] === transferTopic ? token : own).push(log)
  return { own, token }
}

/** What our own contracts log, however many there are. */
export function ownPatterns(
  { factory }: Pick<Chain, 'factory'>,
  { splits, factories = [factory] }: Watched,
): LogPattern[] {
  const own = [...factories, ...splits]
  const patterns: LogPattern[] = []
  for (let at = 0; at < own.length; at += addressesPerFilter) {
    const addresses = own.slice(at, at + addressesPerFilter)
    patterns.push({ addresses, topics: [[paymentTopic, sweptTopic]] })
  }
  return patterns
}

/** The blocks of a range in which a listed token moved to a deposit address of the targets, in their order. */
export async function findTransferBlocks(
  chain: Chain,
  range: { from: bigint; to: bigint },
  targets: readonly Target[],
): Promise<bigint[]> {
  const logs = await readTokenLogs(chain, range, targets)
  return [...new Set(logs.map(({ blockNumber }) => blockNumber))].sort((a, b) => (a < b ? -1 : 1))
}
