import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { pad } from 'viem'
import type { Block, BlockHeader, Chain, ChainLog } from '../chain/chain.ts'
import { Refusal } from '../kernel/refusal.ts'
import { sweptTopic, transferTopic } from '../split/decode-events.ts'
import type { PaymentBlock } from './payment.ts'
import type { Target } from './targets.ts'
import { paymentTopic, readCoinSweep, readPaymentLog, readTransferLog, type Transfer } from './transfer.ts'
import type { CoinMove } from './watch-store.ts'

/** All that happened in a range of blocks which may concern us. */
export type RangeReading = {
  readonly transfers: readonly Transfer[]
  /** Coin that reached deposit addresses by top-level transactions, and coin swept from them. */
  readonly coin: readonly CoinMove[]
}

const addressesPerFilter = 500

/** Whose movements are read. */
export type Watched = {
  /** Every split of ours, so that nobody else's logs come: anyone can emit ours by the thousand. */
  readonly splits: readonly Wallet[]
  readonly targets: readonly Target[]
}

/**
 * Reads a range: calls to splits, token transfers to the deposit addresses of the targets, plain coin to
 * them where the blocks came with their transactions, and sweeps.
 *
 * @param blocks - The range, each the parent of the next.
 * @throws {Refusal} `chain_unavailable`, also where logs and blocks come from different views of the chain.
 */
export async function readTransfers(
  chain: Chain,
  blocks: readonly (BlockHeader | Block)[],
  { splits, targets }: Watched,
): Promise<RangeReading> {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (!first || !last) return { transfers: [], coin: [] }
  const range = { from: first.number, to: last.number }
  const placed = new Map(blocks.map((block) => [block.number, block]))
  const place = (log: ChainLog): PaymentBlock => {
    const block = placed.get(log.blockNumber)
    if (block?.hash !== log.blockHash)
      throw new Refusal('chain_unavailable', 'The chain gave logs and blocks that do not belong together')
    return { number: block.number, hash: block.hash, at: block.at }
  }

  const ownLogs = await readOwnLogs(chain, range, splits)
  const tokenLogs = await readTokenLogs(chain, range, targets)
  const native = await readNativeTransfers(chain, blocks, targets)
  return {
    transfers: [
      ...ownLogs.flatMap((log) => readPaymentLog(log, place(log)) ?? []),
      ...tokenLogs.flatMap((log) => readTransferLog(log, place(log)) ?? []),
      ...native,
    ],
    coin: [
      ...ownLogs.flatMap((log) => readCoinSweep(log, chain.factory) ?? []),
      ...native.map(({ txHash, logIndex, depositAddress, amount, block }) => {
        return { txHash, logIndex, depositAddress, amount, blockNumber: block.number }
      }),
    ],
  }
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

async function readOwnLogs(
  chain: Chain,
  range: { from: bigint; to: bigint },
  splits: readonly Wallet[],
): Promise<ChainLog[]> {
  const own = [chain.factory, ...splits]
  const logs: ChainLog[] = []
  for (let at = 0; at < own.length; at += addressesPerFilter) {
    const addresses = own.slice(at, at + addressesPerFilter)
    logs.push(...(await chain.readLogs({ ...range, addresses, topics: [[paymentTopic, sweptTopic]] })))
  }
  return logs
}

async function readTokenLogs(
  chain: Chain,
  range: { from: bigint; to: bigint },
  targets: readonly Target[],
): Promise<ChainLog[]> {
  const addresses = chain.tokens.map(({ address }) => address).filter((address) => address !== nativeAddress)
  const logs: ChainLog[] = []
  if (addresses.length === 0) return logs
  for (let at = 0; at < targets.length; at += addressesPerFilter) {
    const deposits = targets.slice(at, at + addressesPerFilter)
    const to = deposits.map(({ depositAddress }) => pad(depositAddress.toLowerCase() as Wallet, { size: 32 }))
    logs.push(...(await chain.readLogs({ ...range, addresses, topics: [transferTopic, null, to] })))
  }
  return logs
}

type NativeTransfer = Extract<Transfer, { kind: 'transfer' | 'native' }>

async function readNativeTransfers(
  chain: Chain,
  blocks: readonly (BlockHeader | Block)[],
  targets: readonly Target[],
): Promise<NativeTransfer[]> {
  const deposits = new Set(targets.map(({ depositAddress }) => depositAddress))
  const found: NativeTransfer[] = []
  for (const { number, hash, at, ...rest } of blocks) {
    for (const { hash: txHash, from, to, value } of 'transactions' in rest ? rest.transactions : []) {
      if (to === undefined || value === 0n || !deposits.has(to)) continue
      found.push({
        kind: 'native',
        txHash,
        logIndex: -1,
        address: to,
        depositAddress: to,
        tokenAddress: nativeAddress,
        amount: value,
        payer: from,
        block: { number, hash, at },
      })
    }
  }
  const receipts = await Promise.all(
    found.map(({ txHash, block }) => chain.findReceipt(txHash, block.number)),
  )
  return found.filter(({ block }, i) => {
    const receipt = receipts[i]
    if (receipt?.blockHash !== block.hash)
      throw new Refusal('chain_unavailable', 'The chain gave a transaction and a receipt of different blocks')
    // A transaction that ran out of gas stands in the block and moved nothing.
    return receipt.isSuccess
  })
}
