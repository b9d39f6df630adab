import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Block, BlockHeader, Chain, Hex } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import type { Target } from '../attempts/targets.ts'
import type { Transfer } from '../ledger/transfer.ts'
import { receiptsAtOnce } from '../settlement/keep-logged.ts'
import { gasPerSweep } from '../sweeping/price-sweeps.ts'

/** Whether transactions succeeded, by block and hash. */
export type Outcomes = Map<string, boolean>

type NativeTransfer = Extract<Transfer, { kind: 'transfer' | 'native' }>

/** More of it than this in one reading is no longer looked into transaction by transaction. */
const dustAtOnce = 32

/**
 * Plain coin that reached deposit addresses by top-level transactions of these blocks; nothing where they came
 * without transactions.
 *
 * Coin that is worth less than the gas of sweeping it costs a stranger next to nothing. Where much of that comes at
 * once, its transactions are not asked about: the addresses are given back as touched, and what came to each is
 * taken from its balance, in one sum.
 *
 * @param outcomes - What is known of transactions already; completed as answers come, also where one fails.
 */
export async function readNativeTransfers(
  chain: Chain,
  blocks: readonly (BlockHeader | Block)[],
  targets: readonly Target[],
  outcomes: Outcomes,
): Promise<{ transfers: NativeTransfer[]; touched: Wallet[] }> {
  const found = findTransfers(blocks, new Set(targets.map(({ depositAddress }) => depositAddress)))
  const dust = found.filter(({ isDust }) => isDust)
  const isMuch = dust.length > dustAtOnce
  const transfers = found.flatMap(({ isDust, transfer }) => (isMuch && isDust ? [] : [transfer]))
  await readOutcomes(chain, transfers, outcomes)
  return {
    // A transaction that ran out of gas stands in the block and moved nothing.
    transfers: transfers.filter((transfer) => outcomes.get(keyOf(transfer)) === true),
    touched: isMuch ? [...new Set(dust.map(({ transfer }) => transfer.depositAddress))] : [],
  }
}

function findTransfers(
  blocks: readonly (BlockHeader | Block)[],
  deposits: ReadonlySet<Wallet>,
): { transfer: NativeTransfer; isDust: boolean }[] {
  return blocks.flatMap((block) => {
    if (!('transactions' in block)) return []
    const { number, hash, at, baseFee, transactions } = block
    return transactions.flatMap(({ hash: txHash, from, to, value }) => {
      if (to === undefined || value === 0n || !deposits.has(to)) return []
      const transfer: NativeTransfer = {
        kind: 'native',
        txHash,
        logIndex: -1,
        address: to,
        depositAddress: to,
        tokenAddress: nativeAddress,
        amount: value,
        sender: from,
        block: { number, hash, at },
      }
      return [{ transfer, isDust: value < gasPerSweep * baseFee }]
    })
  })
}

async function readOutcomes(
  chain: Chain,
  transfers: readonly NativeTransfer[],
  outcomes: Outcomes,
): Promise<void> {
  const unknown = transfers.filter((transfer) => !outcomes.has(keyOf(transfer)))
  for (let at = 0; at < unknown.length; at += receiptsAtOnce) {
    const asked = unknown.slice(at, at + receiptsAtOnce)
    const highest = asked.at(-1)?.block.number
    const receipts = await chain.findReceipts(
      asked.map(({ txHash }) => txHash),
      highest,
    )
    for (const [i, transfer] of asked.entries()) {
      const receipt = receipts[i]
      if (receipt?.blockHash !== transfer.block.hash)
        throw new ChainUnavailable('The chain returned a transaction and its receipt from different blocks')
      outcomes.set(keyOf(transfer), receipt.isSuccess)
    }
  }
}

function keyOf({ txHash, block }: { txHash: Hex; block: { hash: Hex } }): string {
  return `${block.hash} ${txHash}`
}
