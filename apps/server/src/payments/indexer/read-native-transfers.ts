import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Block, BlockHeader, Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import type { Target } from '../attempts/targets.ts'
import type { Transfer } from '../ledger/transfer.ts'
import { receiptsAtOnce } from '../settlement/keep-logged.ts'

type NativeTransfer = Extract<Transfer, { kind: 'transfer' | 'native' }>

/** Finds native transfers to deposit addresses in top-level transactions. Header-only blocks yield none. */
export async function readNativeTransfers(
  chain: Chain,
  blocks: readonly (BlockHeader | Block)[],
  targets: readonly Target[],
): Promise<NativeTransfer[]> {
  const found = findTransfers(blocks, new Set(targets.map(({ depositAddress }) => depositAddress)))
  const moved: NativeTransfer[] = []
  for (let at = 0; at < found.length; at += receiptsAtOnce) {
    const asked = found.slice(at, at + receiptsAtOnce)
    const hashes = asked.map(({ txHash }) => txHash)
    const receipts = await chain.findReceipts(hashes, asked.at(-1)?.block.number)
    for (const [i, transfer] of asked.entries()) {
      const receipt = receipts[i]
      if (receipt?.blockHash !== transfer.block.hash)
        throw new ChainUnavailable('The chain returned a transaction and its receipt from different blocks')
      // A failed transaction is part of the block but moved nothing.
      if (receipt.isSuccess) moved.push(transfer)
    }
  }
  return moved
}

function findTransfers(
  blocks: readonly (BlockHeader | Block)[],
  deposits: ReadonlySet<Wallet>,
): NativeTransfer[] {
  return blocks.flatMap((block) => {
    if (!('transactions' in block)) return []
    const { number, hash, at, transactions } = block
    return transactions.flatMap(({ hash: txHash, from, to, value }): NativeTransfer[] => {
      if (to === undefined || value === 0n || !deposits.has(to)) return []
      return [
        {
          kind: 'native',
          txHash,
          logIndex: -1,
          address: to,
          depositAddress: to,
          tokenAddress: nativeAddress,
          amount: value,
          sender: from,
          block: { number, hash, at },
        },
      ]
    })
  })
}
