import { nativeAddress } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, Chain } from '../chain/chain.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { Database } from '../platform/database.ts'
import type { Target } from './targets.ts'
import type { Transfer } from './transfer.ts'
import { type CoinMove, readExpectedCoin } from './watch-store.ts'

/**
 * Coin that deposit addresses hold at a block beyond what is known to have come and gone: sent from inside
 * another contract's call, which leaves neither a log nor a transaction of its own. It is taken to have come
 * in that block, and keyed by it.
 *
 * @param moves - What the blocks above `storedTo` and up to this one brought.
 * @param storedTo - Height up to which stored moves count; what is stored above it stood in lost blocks.
 * @throws {Refusal} `chain_unavailable`, also where the chain changed meanwhile.
 */
export async function findUnexplainedCoin(
  needs: { db: Database; chain: Chain },
  targets: readonly Target[],
  block: BlockHeader,
  moves: readonly CoinMove[],
  storedTo: bigint = block.number,
): Promise<Extract<Transfer, { kind: 'transfer' | 'native' }>[]> {
  const { db, chain } = needs
  if (targets.length === 0) return []
  const addresses = targets.map(({ depositAddress }) => depositAddress)
  const balances = await chain.readBalances(addresses, block.number)
  const stored = await readExpectedCoin(db, chain.id, addresses, storedTo)
  const found = addresses.flatMap((address, i) => {
    const isFresh = (move: CoinMove) => move.depositAddress === address
    const fresh = moves.filter(isFresh).reduce((sum, move) => sum + move.amount, 0n)
    const amount = (balances[i] ?? 0n) - (stored.get(address) ?? 0n) - fresh
    if (amount <= 0n) return []
    return [
      {
        kind: 'native' as const,
        txHash: block.hash,
        logIndex: -1,
        address,
        depositAddress: address,
        tokenAddress: nativeAddress,
        amount,
        payer: undefined,
        block: { number: block.number, hash: block.hash, at: block.at },
      },
    ]
  })
  if (found.length > 0 && (await chain.findHeader(block.number))?.hash !== block.hash)
    throw new Refusal('chain_unavailable', 'The chain changed while balances were read')
  return found
}

/** The moves that such coin is from now on known by. */
export function coinMovesOf(
  found: readonly Extract<Transfer, { kind: 'transfer' | 'native' }>[],
): CoinMove[] {
  return found.map(({ txHash, logIndex, depositAddress, amount, block }) => {
    return { txHash, logIndex, depositAddress, amount, blockNumber: block.number }
  })
}
