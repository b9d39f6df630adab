import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { readAmounts } from '../../chain/read-amounts.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Target } from '../attempts/targets.ts'
import { type ExpectedNative, type NativeMove, readExpectedNative } from '../ledger/place-store.ts'
import type { Transfer } from '../ledger/transfer.ts'

/**
 * Finds native coin at deposit addresses that no recorded move explains. A transfer inside a contract call
 * leaves no log and no transaction of its own. The payment is keyed by the hash of `block`.
 *
 * @param moves - Moves in the blocks above `storedTo`, up to `block`.
 * @param storedTo - Stored moves above this height are ignored: a reorg removed their blocks.
 * @throws {ChainUnavailable}, also if the chain changed in the meantime.
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
    if (known?.hasLater && storedTo === block.number) return [] // later moves may explain the coin
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
  if (found.length > 0) {
    const owners = found.map(({ depositAddress }) => ({ owner: depositAddress, token: nativeAddress }))
    const again = await readAmounts(chain, owners, block.number)
    // A node may read newer state than asked for, if a block arrives meanwhile. The coin would then count
    // twice: here, and with its transaction in the next block.
    const isSame = owners.every(({ owner }, i) => again[i] === balances[addresses.indexOf(owner)])
    if (!isSame || (await chain.findHeader(block.number))?.hash !== block.hash)
      throw new ChainUnavailable('The chain changed while balances were being read')
  }
  const expected = found.map(({ depositAddress }) => [depositAddress, stored.get(depositAddress)] as const)
  return { transfers: found, block: block.number, expected: new Map(expected) }
}

/**
 * Checks, under the cursor's lock, that no other process has recorded the same coin since it was detected.
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

export type UnexplainedNative = {
  readonly transfers: readonly NativeTransfer[]
  readonly block: bigint
  readonly expected: ReadonlyMap<Wallet, ExpectedNative | undefined>
}

export function nativeMovesOf({ transfers }: UnexplainedNative): NativeMove[] {
  return transfers.map(({ txHash, logIndex, depositAddress, amount, block }) => {
    return { txHash, logIndex, depositAddress, amount, blockNumber: block.number }
  })
}
