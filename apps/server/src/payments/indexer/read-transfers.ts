import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Block, BlockHeader, Chain, ChainLog, LogFilter } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-unavailable.ts'
import { sweptTopic } from '../../split/ledger/decode-events.ts'
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
import { type Outcomes, readNativeTransfers } from './read-native-transfers.ts'
import { addressesPerFilter, readTokenLogs } from './read-token-logs.ts'

/** All that happened in a range of blocks which may concern us. */
export type RangeReading = {
  readonly transfers: readonly Transfer[]
  /** Coin that reached deposit addresses by top-level transactions, and coin swept from them. */
  readonly coin: readonly NativeMove[]
  /** Deposit addresses that coin came to which is not among the transfers, for the balance to tell how much. */
  readonly touched: readonly Wallet[]
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
 * @param known.outcomes - What is known of transactions from an attempt that failed; completed by this one.
 * @param known.logs - The range's, where they were read already.
 * @throws {ChainUnavailable}, also where logs and blocks come from different views of the chain.
 */
export async function readTransfers(
  chain: Chain,
  blocks: readonly (BlockHeader | Block)[],
  { splits, factories = [chain.factory], targets }: Watched,
  known: { readonly outcomes?: Outcomes; readonly logs?: RangeLogs } = {},
): Promise<RangeReading> {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last) return { transfers: [], coin: [], touched: [] }
  const range = { from: first.number, to: last.number }
  const placed = new Map(blocks.map((block) => [block.number, block]))
  const place = (log: ChainLog): PaymentBlock => {
    const block = placed.get(log.blockNumber)
    if (block?.hash !== log.blockHash)
      throw new ChainUnavailable('The chain returned logs and blocks that do not match')
    return { number: block.number, hash: block.hash, at: block.at }
  }

  const { own: ownLogs, token: tokenLogs } =
    known.logs ?? (await readRangeLogs(chain, range, { splits, factories, targets }))
  const outcomes = known.outcomes ?? new Map()
  const { transfers: native, touched } = await readNativeTransfers(chain, blocks, targets, outcomes)
  return {
    transfers: [
      ...ownLogs.flatMap((log) => readPaymentLog(log, place(log)) ?? []),
      ...tokenLogs.flatMap((log) => readTransferLog(log, place(log)) ?? []),
      ...native,
    ],
    coin: [
      ...ownLogs.flatMap((log) => readNativeSweep(log, factories) ?? []),
      ...native.map(({ txHash, logIndex, depositAddress, amount, block }) => {
        return { txHash, logIndex, depositAddress, amount, blockNumber: block.number }
      }),
    ],
    touched,
  }
}

/** Logs of a range that may concern us: of our own contracts, and of listed tokens. */
export type RangeLogs = { readonly own: readonly ChainLog[]; readonly token: readonly ChainLog[] }

/** Reads them, the two kinds at once. */
export async function readRangeLogs(
  chain: Chain,
  range: { from: bigint; to: bigint },
  { splits, factories = [chain.factory], targets }: Watched,
): Promise<RangeLogs> {
  if (range.to < range.from) return { own: [], token: [] }
  const [own, token] = await Promise.all([
    readOwnLogs(chain, range, [...factories, ...splits]),
    readTokenLogs(chain, range, targets),
  ])
  return { own, token }
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

/** In one request however many splits there are. */
function readOwnLogs(
  chain: Chain,
  range: { from: bigint; to: bigint },
  own: readonly Wallet[],
): Promise<ChainLog[]> {
  const filters: LogFilter[] = []
  for (let at = 0; at < own.length; at += addressesPerFilter) {
    const addresses = own.slice(at, at + addressesPerFilter)
    filters.push({ ...range, addresses, topics: [[paymentTopic, sweptTopic]] })
  }
  return chain.readLogsOfAll(filters)
}
