import type { UnixMs } from '@sluice/protocol/time.ts'
import { count, text, time } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { columnsOf, table, valuesOf } from '../database/table.ts'

/** Item of a job. `merchant` is empty if the item belongs to no merchant. */
export type ItemName = { readonly job: string; readonly merchant: string; readonly item: string }

export type DeferredItem = ItemName & {
  readonly kind: string
  readonly reason: string
  readonly since: UnixMs
  readonly tries: number
  readonly nextTry: UnixMs
}

export async function listDeferred(db: Database, job: string): Promise<DeferredItem[]> {
  return db.rows(listOfJob({ job }))
}

export async function listDueDeferred(
  db: Database,
  job: string,
  now: UnixMs,
  limit: number,
): Promise<DeferredItem[]> {
  return db.rows(listDue({ job, now, limit }))
}

export async function listAllDeferred(db: Database, limit: number): Promise<DeferredItem[]> {
  return db.rows(listAll({ limit }))
}

export type DeferredCount = {
  readonly job: string
  readonly kind: string
  readonly count: number
  readonly since: UnixMs
}

export async function countDeferred(db: Database): Promise<DeferredCount[]> {
  return db.rows(countAll())
}

export async function findDeferredItem(db: Database, name: ItemName): Promise<DeferredItem | undefined> {
  return db.row(find(name))
}

export async function saveDeferred(db: Database, item: DeferredItem): Promise<void> {
  await db.run(save(item))
}

export async function dropDeferred(db: Database, { job, merchant, item }: ItemName): Promise<boolean> {
  return (await db.run(drop({ job, merchant, item }))) > 0
}

const itemTable = table<DeferredItem>('deferred_item', {
  job: text(),
  merchant: text(),
  item: text(),
  kind: text(),
  reason: text(),
  since: time(),
  tries: count(),
  nextTry: time(),
})

const listOfJob = statement({
  name: 'list-deferred-of-job',
  reads: itemTable,
  text: `SELECT ${columnsOf(itemTable)} FROM deferred_item WHERE job = :job ORDER BY since, merchant, item`,
})

const listDue = statement({
  name: 'list-deferred-due',
  reads: itemTable,
  text: `SELECT ${columnsOf(itemTable)} FROM deferred_item WHERE job = :job AND next_try <= :now
    ORDER BY next_try, merchant, item LIMIT :limit`,
})

const listAll = statement({
  name: 'list-deferred',
  reads: itemTable,
  text: `SELECT ${columnsOf(itemTable)} FROM deferred_item ORDER BY since, job, merchant, item LIMIT :limit`,
})

const countAll = statement({
  name: 'count-deferred',
  reads: { job: text(), kind: text(), count: count(), since: time() },
  text: `SELECT job, kind, count(item) AS count, min(since) AS since FROM deferred_item GROUP BY job, kind
    ORDER BY job, kind`,
})

const find = statement({
  name: 'find-deferred',
  reads: itemTable,
  text: `SELECT ${columnsOf(itemTable)} FROM deferred_item WHERE job = :job AND merchant = :merchant AND item = :item`,
})

const save = statement({
  name: 'save-deferred',
  writes: itemTable,
  text: `INSERT INTO deferred_item ${valuesOf(itemTable)}
    ON CONFLICT (job, merchant, item) DO UPDATE SET kind = excluded.kind, reason = excluded.reason,
      tries = excluded.tries, next_try = excluded.next_try`,
})

const drop = statement({
  name: 'drop-deferred',
  text: `DELETE FROM deferred_item WHERE job = :job AND merchant = :merchant AND item = :item`,
})
