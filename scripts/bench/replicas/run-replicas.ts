import { loadavg } from 'node:os'
import type { Rounds } from '../measure-work.ts'
import { openBench } from '../open-bench.ts'
import { measureReplicas } from './measure-replicas.ts'
import { printReplicas, writeReplicas } from './write-replicas.ts'

/** Measures so many replicas on one PostgreSQL, the first of which is the bench's own service. */
export async function runReplicas(
  how: Rounds & { readonly count: number; readonly receipts: number; readonly keys: number },
): Promise<void> {
  const before = loadavg()[0] ?? 0
  const bench = await openBench({ count: how.receipts, keyCount: how.keys })
  try {
    const replicas = await measureReplicas(bench, bench.settings, how)
    printReplicas(replicas)
    writeReplicas(replicas, { ...how, load: [before, loadavg()[0] ?? 0] })
  } finally {
    await bench.stop()
  }
}
