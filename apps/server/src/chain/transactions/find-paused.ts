import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { isAhead } from '../../kernel/clock.ts'
import type { TransactionNeeds } from './send.ts'
import { listOwnInVain } from './store.ts'
import type { OutgoingTransaction, TransactionKind } from './transaction.ts'

const shortestPauseMs = 30_000
const longestPauseMs = 3_600_000
const memoryMs = 86_400_000

/**
 * What is not to be sent again yet, by key: a transaction for it reverted, or was mined and did nothing, so another
 * one would most likely burn its gas as well. The pause doubles with each such transaction of the last day, from
 * half a minute to an hour. Kept in the database, so it outlives a restart and holds for every process.
 *
 * @param keysOf - What a transaction was about.
 */
export async function findPaused(
  needs: TransactionNeeds,
  kind: TransactionKind,
  keysOf: (own: OutgoingTransaction) => readonly string[],
): Promise<ReadonlySet<string>> {
  const { db, chain, clock } = needs
  const now = clock.now()
  const tries = new Map<string, { count: number; newest: UnixMs }>()
  for (const own of await listOwnInVain(db, chain.id, kind, addMs(now, -memoryMs))) {
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
