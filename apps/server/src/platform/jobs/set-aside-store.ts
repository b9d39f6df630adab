import type { UnixMs } from '@sluice/protocol/time.ts'
import { count, text, time } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { columnsOf, table, valuesOf } from '../database/table.ts'

/** Item of a job. `merchant` is empty if the item belongs to no merchant. */
export type ItemName = { readonly job: string; readonly merchant: string; readonly item: string }

export type SetAsideItem = ItemName & {
  readonly kind: string
  readonly reason: string
  readonly since: UnixMs
  readonly tries: number
  readonly nextTry: UnixMs
}

export async function listSetAside(db: Database, job: string): Promise<SetAsideItem[]> {
  return db.rows(listOfJob({ job }))
}

export async function listSetAsideDue(
  db: Database,
  job: string,
  now: UnixMs,
  limit: number,
): Promise<SetAsideItem[]> {
  return db.rows(listDue({ job, now, limit }))
}

export async function listSetAsideOf(
  db: Database,
  job: string,
  merchants: readonly string[],
): Promise<SetAsideItem[]> {
  return merchants.length === 0 ? [] : db.rows(listOfMerchants({ job, merchants }))
}

/** Postpones the due items of these merchants without counting a try. */
export async function putOffSetAside(
  db: Database,
  job: string,
  merchants: readonly string[],
  { now, nextTry }: { readonly now: UnixMs; readonly nextTry: UnixMs },
): Promise<void> {
  if (merchants.length > 0) await db.run(putOff({ job, merchants, now, nextTry }))
}

export async function listAllSetAside(db: Database, limit: number): Promise<SetAsideItem[]> {
  return db.rows(listAll({ limit }))
}

export type SetAsideCount = {
  readonly job: string
  readonly kind: string
  readonly count: number
  readonly since: UnixMs
}

export async function countSetAside(db: Database): Promise<SetAsideCount[]> {
  return db.rows(countAll())
}

export async function findSetAside(db: Database, name: ItemName): Promise<SetAsideItem | undefined> {
  return db.row(find(name))
}

export async function saveSetAside(db: Database, item: SetAsideItem): Promise<void> {
  await db.run(save(item))
}

export async function dropSetAside(db: Database, { job, merchant, item }: ItemName): Promise<boolean> {
  return (await db.run(drop({ job, merchant, item }))) > 0
}

const itemTable = table<SetAsideItem>('set_aside', {
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
  name: 'list-set-aside-of-job',
  reads: itemTable,
  text: `SELECT ${columnsOf(itemTable)} FROM set_aside WHERE job = :job ORDER BY since, merchant, item`,
})

const listDue = statement({
  name: 'list-set-aside-due',
  reads: itemTable,
  text: `SELECT ${columnsOf(itemTable)} FROM set_aside WHERE job = :job AND next_try <= :now
    ORDER BY next_try, merchant, item LIMIT :limit`,
})

const listOfMerchants = statement({
  name: 'list-set-aside-of-merchants',
  isPlannedAnew: true,
  reads: itemTable,
  text: `SELECT ${columnsOf(itemTable)} FROM set_aside WHERE job = :job AND merchant = ANY(:merchants::text[])`,
})

const putOff = statement({
  name: 'put-off-set-aside',
  isPlannedAnew: true,
  text: `UPDATE set_aside SET next_try = :nextTry
    WHERE job = :job AND merchant = ANY(:merchants::text[]) AND next_try <= :now`,
})

const listAll = statement({
  name: 'list-set-aside',
  reads: itemTable,
  text: `SELECT ${columnsOf(itemTable)} FROM set_aside ORDER BY since, job, merchant, item LIMIT :limit`,
})

const countAll = statement({
  name: 'count-set-aside',
  reads: { job: text(), kind: text(), count: count(), since: time() },
  text: `SELECT job, kind, count(item) AS count, min(since) AS since FROM set_aside GROUP BY job, kind
    ORDER BY job, kind`,
})

const find = statement({
  name: 'find-set-aside',
  reads: itemTable,
  text: `SELECT ${columnsOf(itemTable)} FROM set_aside WHERE job = :job AND merchant = :merchant AND item = :item`,
})

const save = statement({
  name: 'save-set-aside',
  writes: itemTable,
  text: `INSERT INTO set_aside ${valuesOf(itemTable)}
    ON CONFLICT (job, merchant, item) DO UPDATE SET kind = excluded.kind, reason = excluded.reason,
      tries = excluded.tries, next_try = excluded.next_try`,
})

const drop = statement({
  name: 'drop-set-aside',
  text: `DELETE FROM set_aside WHERE job = :job AND merchant = :merchant AND item = :item`,
})
