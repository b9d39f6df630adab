import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Block, BlockHeader } from '../../chain/chain.ts'

/** A stranger can name every address there is: the rest have their turn within a minute anyway. */
const mostNamed = 500

/**
 * Deposit addresses that stand in what transactions hand to contracts. Who has a contract send coin, a smart
 * account or an exchange that pays out many at once, names the receiver there; the coin itself leaves no trace
 * in the block. A hint of whose balance to look at, not more.
 */
export function findNamedDeposits(
  blocks: readonly (BlockHeader | Block)[],
  deposits: ReadonlySet<Wallet>,
  without: ReadonlySet<Wallet>,
): Set<Wallet> {
  const named = new Set<Wallet>()
  if (deposits.size === 0) return named
  const byHex = new Map([...deposits].map((deposit) => [deposit.slice(2).toLowerCase(), deposit]))
  const beginnings = new Set([...byHex.keys()].map((hex) => Number.parseInt(hex.slice(0, 8), 16)))
  for (const block of blocks) {
    for (const { to, input } of 'transactions' in block ? block.transactions : []) {
      if (input.length < shortestNaming || (to !== undefined && without.has(to))) continue
      const bytes = Buffer.from(input.slice(2), 'hex')
      if (bytes.length < 20) continue
      let beginning = bytes.readUIntBE(0, 3)
      for (let i = 3; i + 16 < bytes.length; i++) {
        beginning = ((beginning << 8) | (bytes[i] ?? 0)) >>> 0
        if (!beginnings.has(beginning)) continue
        const deposit = byHex.get(bytes.toString('hex', i - 3, i + 17))
        if (deposit) named.add(deposit)
        if (named.size >= mostNamed) return named
      }
    }
  }
  return named
}

/** `0x` and twenty bytes. */
const shortestNaming = 42
