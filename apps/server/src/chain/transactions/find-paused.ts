import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { isAhead } from '../../kernel/clock.ts'
import type { TransactionNeeds } from './send.ts'
import { listFailedOutgoing } from './store.ts'
import type { OutgoingTransaction, TransactionKind } from './transaction.ts'

const shortestPauseMs = 30_000
const longestPauseMs = 3_600_000
const memoryMs = 86_400_000

/**
 * Returns the keys that must not be retried yet: a transaction for them reverted or had no effect.
 *
 * Another transaction would most likely waste its gas too. Each such transaction of the last day doubles the
 * pause, from 30 seconds to an hour. The state is in the database, so it survives restarts and applies to
 * every process.
 *
 * @param keysOf - Returns the subjects of a transaction.
 */
export async function findPaused(
  needs: TransactionNeeds,
  kind: TransactionKind,
  keysOf: (own: OutgoingTransaction) => readonly string[],
): Promise<ReadonlySet<string>> {
  const { db, chain, clock } = needs
  const now = clock.now()
  const tries = new Map<string, { count: number; newest: UnixMs }>()
  for (const own of await listFailedOutgoing(db, chain.id, kind, addMs(now, -memoryMs))) {
    for (const key of keysOf(own)) {
      const { count, newest } = tries.get(key) ?? { count: 0, newest: own.createdAt }
      tries.set(key, { count: count + 1, newest })
    }
  }
  const paused = [...tries].filter(([, { count, newest }]) =>
    isAhead(addMs(newest, pauseAfter(count)), now, longestPauseMs),
  )
  return new Set(paused.map(([key]) => key))
}

function pauseAfter(count: number): number {
  return Math.min(longestPauseMs, shortestPauseMs * 2 ** Math.min(count - 1, 20))
}
