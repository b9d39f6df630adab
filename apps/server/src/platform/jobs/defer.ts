import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../database/database.ts'
import { isDatastoreOutage, isDiskFull } from '../database/degraded.ts'
import type { Log } from '../log.ts'
import {
  type DeferredItem,
  dropDeferred,
  findDeferredItem,
  type ItemName,
  listDeferred,
  listDueDeferred,
  saveDeferred,
} from './deferred-store.ts'
import { describeError, findOwnTimeout, isItemError } from './item-error.ts'

export type DeferNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
}

const firstPauseMs = 10_000
const longestPauseMs = 3_600_000
/** Longest pause after a database outage or a full disk, so that items resume soon afterwards. */
const longestAwayMs = 30_000

/**
 * Defers an item whose work threw an error, and returns the time of the next try. Pauses grow with each
 * failure.
 *
 * Alerts when the item is first deferred and when its reason changes.
 */
export async function defer(needs: DeferNeeds, name: ItemName, error: unknown): Promise<UnixMs> {
  const before = await findDeferredItem(needs.db, name)
  const item = nextOf(needs, name, before, error)
  await saveDeferred(needs.db, item)
  reportDeferral(needs, item, before, error)
  return item.nextTry
}

function nextOf(
  { clock }: DeferNeeds,
  name: ItemName,
  before: DeferredItem | undefined,
  error: unknown,
): DeferredItem {
  const now = clock.now()
  const tries = (before?.tries ?? 0) + 1
  const longest = isAwayOrFull(error) ? longestAwayMs : longestPauseMs
  const nextTry = addMs(now, Math.min(longest, firstPauseMs * 4 ** Math.min(tries - 1, 10)))
  return { ...name, ...describeError(error), since: before?.since ?? now, tries, nextTry }
}

function reportDeferral(
  { log }: DeferNeeds,
  { job, merchant, item, reason }: DeferredItem,
  before: DeferredItem | undefined,
  error: unknown,
): void {
  if (before?.reason === reason || (isAwayOrFull(error) && !isDiskFull(error))) return
  log.error(
    { alert: 'item-deferred', job, merchant, item, reason, err: error },
    'an item of a job failed; it is deferred and retried, and the other items continue',
  )
}

function isAwayOrFull(error: unknown): boolean {
  return isDatastoreOutage(error) || isDiskFull(error)
}

export async function endDeferral({ db, log }: Omit<DeferNeeds, 'clock'>, name: ItemName): Promise<void> {
  if (await dropDeferred(db, name)) log.info({ ...name }, 'a deferred item has succeeded')
}

export type Walk<T> = {
  readonly job: string
  nameOf(item: T): Omit<ItemName, 'job'>
  work(item: T): Promise<void>
  /**
   * Reschedules a failed item in the job's own queue, which then decides when it is due.
   *
   * Without this function, deferred items are skipped until their next try.
   */
  later?(item: T, at: UnixMs): Promise<void>
}

/** Number of consecutive failures not caused by the items themselves after which the walk ends. */
const outageLength = 3

/**
 * Processes the items of many merchants one at a time. Defers an item that fails and continues.
 *
 * An outage ends the walk. An error that affects only a few items while others succeed counts as theirs. So
 * does a timeout if the database responds.
 */
export async function walkItems<T>(
  needs: DeferNeeds,
  items: readonly T[],
  walk: Walk<T>,
  signal?: AbortSignal,
): Promise<void> {
  if (items.length === 0) return
  const deferred = await findDeferred(needs.db, walk.job)
  const now = needs.clock.now()
  const leave = async (item: T, error: unknown) => {
    const nextTry = await defer(needs, { job: walk.job, ...walk.nameOf(item) }, error)
    await walk.later?.(item, nextTry)
  }
  let isAnyDone = false
  let unlucky: { readonly item: T; readonly error: unknown }[] = []
  for (const item of items) {
    if (signal?.aborted) break
    const name = { job: walk.job, ...walk.nameOf(item) }
    const known = deferred.get(keyOf(name))
    if (known && !walk.later && known.nextTry > now) continue
    try {
      await walk.work(item)
    } catch (error) {
      if (isItemError(error)) await leave(item, error)
      else {
        const own = await findOwnTimeout(needs.db, error)
        if (own) await leave(item, own)
        else if (isDatastoreOutage(error) || unlucky.push({ item, error }) >= outageLength) throw error
      }
      continue
    }
    if (known) await endDeferral(needs, name)
    isAnyDone = true
    for (const each of unlucky) await leave(each.item, each.error)
    unlucky = []
  }
  const [first] = unlucky
  if (first && !isAnyDone) throw first.error
  for (const each of unlucky) await leave(each.item, each.error)
}

export const triesAtOnce = 200

export async function listTries(
  { db, clock }: Pick<DeferNeeds, 'db' | 'clock'>,
  job: string,
): Promise<DeferredItem[]> {
  return listDueDeferred(db, job, clock.now(), triesAtOnce)
}

export async function findDeferred(db: Database, job: string): Promise<Map<string, DeferredItem>> {
  return new Map((await listDeferred(db, job)).map((item) => [keyOf(item), item]))
}

export function keyOf({ merchant, item }: Omit<ItemName, 'job'>): string {
  return `${merchant} ${item}`
}
