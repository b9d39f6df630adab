import type { Wallet } from '@sluice/protocol/wallet.ts'
import { sweepsPerTransaction } from './choose-sweeps.ts'

/** Sweeps that one call of their factory makes. */
export type SweepBatch<Sweep> = { readonly factory: Wallet; readonly batch: readonly Sweep[] }

/** As many to a transaction as fit, those of one factory each. */
export function batchSweeps<Sweep extends { readonly factory: Wallet }>(
  sweeps: readonly Sweep[],
): SweepBatch<Sweep>[] {
  const batches: SweepBatch<Sweep>[] = []
  for (const [factory, own] of Map.groupBy(sweeps, (each) => each.factory))
    for (let at = 0; at < own.length; at += sweepsPerTransaction)
      batches.push({ factory, batch: own.slice(at, at + sweepsPerTransaction) })
  return batches
}
