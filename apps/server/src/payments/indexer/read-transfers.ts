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

export type RangeReading = {
  readonly transfers: readonly Transfer[]
  readonly coin: readonly NativeMove[]
}

export type Watched = {
  /**
   * All of the service's splits. Filtering by address excludes foreign logs, of which anyone can emit any
   * number.
   */
  readonly splits: readonly Wallet[]
  readonly factories?: readonly Wallet[] | undefined
  readonly targets: readonly Target[]
}

/**
 * Reads split calls, token and native transfers to deposit addresses, and sweeps in a range. To find native
 * transfers, the blocks must include transactions.
 *
 * @param blocks - Consecutive blocks.
 * @param logs - The logs of the range, if already read.
 * @throws {ChainUnavailable}, also if logs and blocks come from different forks.
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

export type RangeLogs = { readonly own: readonly ChainLog[]; readonly token: readonly ChainLog[] }

export async function readRangeLogs(
  chain: Chain,
  range: { from: bigint; to: bigint },
  watched: Watched,
): Promise<RangeLogs> {
  if (range.to < range.from) return { own: [], token: [] }
  const own = ownPatterns(chain, watched).map((pattern) => ({ ...pattern, ...range }))
  return sortLogs(await readTokenLogs(chain, range, watched.targets, own))
}

const fewBlocks = 10n

/** Reads blocks and logs in one round trip, so that a distant endpoint does not delay a payment. */
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

export async function findTransferBlocks(
  chain: Chain,
  range: { from: bigint; to: bigint },
  targets: readonly Target[],
): Promise<bigint[]> {
  const logs = await readTokenLogs(chain, range, targets)
  return [...new Set(logs.map(({ blockNumber }) => blockNumber))].sort((a, b) => (a < b ? -1 : 1))
}
