import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { readAmounts } from '../../chain/read-amounts.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Target } from '../attempts/targets.ts'
import { type ExpectedNative, type NativeMove, readExpectedNative } from '../ledger/place-store.ts'
import type { Transfer } from '../ledger/transfer.ts'

/**
 * Coin that deposit addresses hold at a block beyond what is known to have come and gone: sent from inside
 * another contract's call, which leaves neither a log nor a transaction of its own. It is taken to have come
 * in that block, and keyed by it.
 *
 * @param moves - What the blocks above `storedTo` and up to this one brought.
 * @param storedTo - Height up to which stored moves count; what is stored above it stood in lost blocks.
 * @throws {ChainUnavailable}, also where the chain changed meanwhile.
 */
export async function findUnexplainedNative(
  needs: { db: Database; chain: Chain },
  targets: readonly Target[],
  block: BlockHeader,
  moves: readonly NativeMove[],
  storedTo: bigint = block.number,
): Promise<UnexplainedNative> {
  const { db, chain } = needs
  if (targets.length === 0) return { transfers: [], block: block.number, expected: new Map() }
  const addresses = targets.map(({ depositAddress }) => depositAddress)
  const asked = addresses.map((owner) => ({ owner, token: nativeAddress }))
  const balances = await readAmounts(chain, asked, block.number)
  const stored = await readExpectedNative(db, chain.id, addresses, storedTo)
  const fresh = new Map<Wallet, bigint>()
  for (const { depositAddress, amount } of moves)
    fresh.set(depositAddress, (fresh.get(depositAddress) ?? 0n) + amount)
  const found = addresses.flatMap((address, i) => {
    const known = stored.get(address)
    if (known?.hasLater && storedTo === block.number) return [] // left to the next look, which reads a block above all that is noted
    const amount = (balances[i] ?? 0n) - (known?.total ?? 0n) - (fresh.get(address) ?? 0n)
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
        sender: undefined,
        block: { number: block.number, hash: block.hash, at: block.at },
      },
    ]
  })
  if (found.length > 0 && (await chain.findHeader(block.number))?.hash !== block.hash)
    throw new ChainUnavailable('The chain changed while balances were being read')
  const expected = found.map(({ depositAddress }) => [depositAddress, stored.get(depositAddress)] as const)
  return { transfers: found, block: block.number, expected: new Map(expected) }
}

/**
 * Whether what the books said when coin was noticed is what they say now, in the transaction that holds the
 * watcher: whoever noticed the same coin meanwhile has noted it there.
 */
export async function isStillUnexplained(
  tx: Database,
  chain: number,
  { block, expected }: UnexplainedNative,
): Promise<boolean> {
  if (expected.size === 0) return true
  const stored = await readExpectedNative(tx, chain, [...expected.keys()], block)
  return [...expected].every(([address, before]) => {
    const now = stored.get(address)
    return !now?.hasLater && (now?.total ?? 0n) === (before?.total ?? 0n)
  })
}

type NativeTransfer = Extract<Transfer, { kind: 'transfer' | 'native' }>

/** Coin that was noticed, and what the books said of its addresses then. */
export type UnexplainedNative = {
  readonly transfers: readonly NativeTransfer[]
  readonly block: bigint
  readonly expected: ReadonlyMap<Wallet, ExpectedNative | undefined>
}

/** The moves that such coin is from now on known by. */
export function nativeMovesOf({ transfers }: UnexplainedNative): NativeMove[] {
  return transfers.map(({ txHash, logIndex, depositAddress, amount, block }) => {
    return { txHash, logIndex, depositAddress, amount, blockNumber: block.number }
  })
}
