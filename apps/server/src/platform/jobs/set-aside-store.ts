import type { UnixMs } from '@sluice/protocol/time.ts'
import { int8, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'

/** One item of a job: what the job calls it, and whose it is; no merchant's where the text is empty. */
export type ItemName = { readonly job: string; readonly merchant: string; readonly item: string }

/** An item that could not be done. */
export type SetAsideItem = ItemName & {
  readonly fault: string
  readonly reason: string
  readonly since: UnixMs
  readonly tries: number
  readonly nextTry: UnixMs
}

/** The items of a job that are set aside, longest first. */
export async function listSetAside(db: Database, job: string): Promise<SetAsideItem[]> {
  return (await db.rows<SetAsideRow>(listOfJob({ job }))).map(fromRow)
}

/** The items of all jobs that are set aside, longest first. */
export async function listAllSetAside(db: Database, limit: number): Promise<SetAsideItem[]> {
  return (await db.rows<SetAsideRow>(listAll({ limit }))).map(fromRow)
}

/** How many items of a job wait for the same word, and since when the first of them does. */
export type SetAsideCount = {
  readonly job: string
  readonly fault: string
  readonly count: number
  readonly since: UnixMs
}

/** How many items are set aside, by job and fault. */
export async function countSetAside(db: Database): Promise<SetAsideCount[]> {
  const rows = await db.rows(count())
  return rows.map((row) => ({ ...row, count: Number(row.count), since: Number(row.since) as UnixMs }))
}

/** How one item stands. */
export async function findSetAside(db: Database, name: ItemName): Promise<SetAsideItem | undefined> {
  const row = await db.row<SetAsideRow>(find({ job: name.job, merchant: name.merchant, item: name.item }))
  return row && fromRow(row)
}

/** Writes down how an item stands. */
export async function saveSetAside(db: Database, item: SetAsideItem): Promise<void> {
  const { job, merchant, fault, reason, since, tries, nextTry } = item
  await db.run(save({ job, merchant, item: item.item, fault, reason, since, tries, nextTry }))
}

/** Takes an item off the list; `false` where it was not on it. */
export async function dropSetAside(db: Database, { job, merchant, item }: ItemName): Promise<boolean> {
  return (await db.run(drop({ job, merchant, item }))) > 0
}

type SetAsideRow = {
  job: string
  merchant: string
  item: string
  fault: string
  reason: string
  since: bigint
  tries: bigint
  next_try: bigint
}

function fromRow({ next_try, ...row }: SetAsideRow): SetAsideItem {
  return {
    ...row,
    since: Number(row.since) as UnixMs,
    tries: Number(row.tries),
    nextTry: Number(next_try) as UnixMs,
  }
}

const columns = 'job, merchant, item, fault, reason, since, tries, next_try'

const listOfJob = statement({
  name: 'list-set-aside-of-job',
  text: `SELECT ${columns} FROM set_aside WHERE job = :job ORDER BY since, merchant, item`,
})

const listAll = statement({
  name: 'list-set-aside',
  text: `SELECT ${columns} FROM set_aside ORDER BY since, job, merchant, item LIMIT :limit`,
})

const count = statement({
  name: 'count-set-aside',
  reads: { job: text(), fault: text(), count: int8(), since: int8() },
  text: `SELECT job, fault, count(item) AS count, min(since) AS since FROM set_aside GROUP BY job, fault
    ORDER BY job, fault`,
})

const find = statement({
  name: 'find-set-aside',
  text: `SELECT ${columns} FROM set_aside WHERE job = :job AND merchant = :merchant AND item = :item`,
})

const save = statement({
  name: 'save-set-aside',
  text: `INSERT INTO set_aside (job, merchant, item, fault, reason, since, tries, next_try)
    VALUES (:job, :merchant, :item, :fault, :reason, :since, :tries, :nextTry)
    ON CONFLICT (job, merchant, item) DO UPDATE SET fault = excluded.fault, reason = excluded.reason,
      tries = excluded.tries, next_try = excluded.next_try`,
})

const drop = statement({
  name: 'drop-set-aside',
  text: `DELETE FROM set_aside WHERE job = :job AND merchant = :merchant AND item = :item`,
})
