import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import { sweptTopic } from '../../split/ledger/decode-events.ts'
import { readSweptDeposit } from '../ledger/transfer.ts'

/** Of the sweeps of so many blocks only the addresses are kept, before the next are read. */
const blocksPerCall = 5_000n

/**
 * Deposit addresses that anybody swept in a range of blocks, of whatever: what came to them before is no longer
 * held there.
 *
 * @throws {ChainUnavailable}
 */
export async function findSweptDeposits(
  chain: Pick<Chain, 'readLogs'>,
  factories: readonly Wallet[],
  { from, to }: { readonly from: bigint; readonly to: bigint },
): Promise<Set<Wallet>> {
  const swept = new Set<Wallet>()
  for (let at = from; at <= to; at += blocksPerCall) {
    const end = at + blocksPerCall - 1n
    const range = { from: at, to: end < to ? end : to }
    for (const log of await chain.readLogs({ ...range, addresses: factories, topics: [sweptTopic] })) {
      const deposit = readSweptDeposit(log, factories)
      if (deposit) swept.add(deposit)
    }
  }
  return swept
}
