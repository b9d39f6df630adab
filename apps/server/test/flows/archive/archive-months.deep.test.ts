import { expect, test } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import {
  archiveAfterDays,
  archiveAfterMs,
  archiveAll,
  detachMonth,
  listArchived,
  listMonths,
} from '../../support/api/archive.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { addRealPages } from '../../support/api/pages.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { logInAs } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

/** The statement at which the connection of the job breaks off, as by a `kill -9` of its process. */
let breaksAt: string | undefined

const kill = { name: '', text: 'SELECT pg_terminate_backend(pg_backend_pid())' }

function breakOff(db: Database): Database {
  async function after<T>({ name }: { readonly name: string }, done: Promise<T>): Promise<T> {
    const outcome = await done
    if (name === breaksAt) {
      breaksAt = undefined
      await db.run(kill).catch(() => {})
    }
    return outcome
  }
  return {
    rows: (statement, values) => after(statement, db.rows(statement, values)),
    row: (statement, values) => after(statement, db.row(statement, values)),
    run: (statement, values) => after(statement, db.run(statement, values)),
    transaction: (work) => db.transaction((tx) => work(breakOff(tx))),
  }
}

const world = perFile(() => startApi({ archiveAfterDays, between: breakOff, extend: addRealPages }))

/** A merchant with a failed receipt of now, which is old afterwards. */
async function startFailed(ids: readonly string[]) {
  const merchant = await world.addMerchant()
  for (const id of ids) {
    const made = await world.call('POST', '/api/receipts', { key: merchant.key, body: receiptBody(id) })
    expect(made.status, made.text).toBe(201)
    await world.move(merchant.wallet, id, 'failure_verified')
  }
  const month = new Date(world.clock.now()).toISOString().slice(0, 7)
  await world.clock.advance(archiveAfterMs)
  return { ...merchant, month, partition: `archived_document_${month.replace('-', '_')}` }
}

const say = (text: string) => world.database.pool.run({ name: '', text })
const monthBounds = (month: string) => {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return `FOR VALUES FROM (${Date.UTC(year, number - 1)}) TO (${Date.UTC(year, number)})`
}

test('each month of closing has a partition of its own', async () => {
  const first = await startFailed(['a'])
  const second = await startFailed(['b'])
  await archiveAll(world)
  expect(second.month > first.month).toBe(true)
  expect(await listMonths(world)).toEqual(expect.arrayContaining([first.partition, second.partition]))
  for (const { partition, wallet } of [first, second]) {
    const text = `SELECT id FROM ${partition} WHERE merchant = '${wallet}'`
    expect(await world.database.pool.rows({ name: '', text })).toHaveLength(1)
  }
})

test('the receipts of a detached month answer that, change nothing, and are back once it is attached', async () => {
  const { key, wallet, month, partition } = await startFailed(['far', 'gone'])
  await archiveAll(world)
  const detail = await world.call('GET', '/api/receipts/gone', { key })
  const summary = await world.call('GET', '/api/receipts/summary', { key })
  await say(detachMonth(partition))
  await say(`ALTER TABLE ${partition} RENAME TO elsewhere`)

  const session = await logInAs(world, wallet, 'owner')
  const body = { receiptId: 'gone', wallet, status: 'checkout_success' }
  const refund = { receiptId: 'gone', wallet, buyer: wallet, usd: 1 }
  const answers = [
    await world.call('GET', '/api/receipts/gone', { key }),
    await world.call('GET', '/api/receipts/status?receiptId=gone', { key }),
    await world.call('GET', '/api/receipts/gone/timeline', { key }),
    await world.call('GET', '/api/terminal/check-payment?receiptId=gone', { key }),
    await world.call('GET', `/api/checkout/gone?recipient=${wallet}`),
    await world.call('POST', `/api/checkout/gone/attempts?recipient=${wallet}`, { body: { token: 'USDC' } }),
    await world.call('POST', '/api/receipts', { key, body: receiptBody('gone') }),
    await world.call('POST', '/api/receipts', { key, body: receiptBody('gone', 9) }),
    await world.call('POST', '/api/receipts/gone/cancel', { key, body: {} }),
    await world.call('POST', '/api/receipts/status', { session, body }),
    await world.call('POST', '/api/receipts/refund', { session, body: refund }),
  ]
  for (const [i, answer] of answers.entries()) {
    expectApiError(answer, 410, 'receipt_archived', i)
    expect(answer.body).toMatchObject({ month, message: expect.stringContaining(month) })
  }
  for (const page of ['pay', 'receipt'])
    expect((await fetch(`${world.url}/${page}/gone?recipient=${wallet}`)).status, page).toBe(404)
  const stranger = await world.addMerchant()
  expectApiError(await world.call('GET', '/api/receipts/gone', { key: stranger.key }), 404, 'not_found')
  expect((await world.call('GET', '/api/receipts/summary', { key })).body).toEqual(summary.body)

  // What is closed in that month and old by now has nowhere to go, and stays.
  const late = await world.call('POST', '/api/receipts', { key, body: receiptBody('late') })
  expect(late.status).toBe(201)
  await world.move(wallet, 'late', 'failure_verified')
  await say(`UPDATE receipt SET created_at = created_at - 3000000000, updated_at =
    (SELECT closed_at FROM archived_receipt WHERE merchant = '${wallet}' AND id = 'gone')
    WHERE merchant = '${wallet}' AND id = 'late'`)
  await archiveAll(world)
  expect((await world.call('GET', '/api/receipts/late', { key })).status).toBe(200)
  expect(await listMonths(world)).not.toContain(partition)

  await say(`ALTER TABLE elsewhere RENAME TO ${partition}`)
  await say(`ALTER TABLE archived_document ATTACH PARTITION ${partition} ${monthBounds(month)}`)
  expect((await world.call('GET', '/api/receipts/gone', { key })).body).toEqual(detail.body)
  for (const page of ['pay', 'receipt'])
    expect((await fetch(`${world.url}/${page}/gone?recipient=${wallet}`)).status, page).toBe(200)
  expect((await world.call('POST', '/api/receipts/status', { session, body })).status).toBe(200)
  await archiveAll(world)
  expect(await listArchived(world, wallet)).toEqual(['far', 'late'])
})

test('while somebody reads the archive for long a new month waits, and whoever reads it next does not', async () => {
  const { key, wallet } = await startFailed(['waits'])
  const isLocked = Promise.withResolvers<void>()
  const isRead = Promise.withResolvers<void>()
  const dump = world.database.pool.transaction(async (tx) => {
    await tx.run({ name: '', text: 'LOCK TABLE archived_document IN ACCESS SHARE MODE' })
    isLocked.resolve()
    await isRead.promise
  })
  await isLocked.promise
  await archiveAll(world)
  expect(await listArchived(world, wallet)).toEqual([])
  expect((await world.call('GET', '/api/receipts/unknown', { key })).status).toBe(404)
  isRead.resolve()
  await dump
  await archiveAll(world)
  expect(await listArchived(world, wallet)).toEqual(['waits'])
})

test('a process killed in the middle of a move, there or back, leaves each receipt in one place', async () => {
  const { key, wallet } = await startFailed(['one', 'two'])
  for (const at of ['insert-archived-documents', 'drop-archived-history', 'drop-moved-receipts']) {
    breaksAt = at
    await world
      .job(jobNames.archiveReceipts)
      .run(new AbortController().signal)
      .catch(() => {})
    expect(breaksAt, at).toBeUndefined()
    expect(await listArchived(world, wallet), at).toEqual([])
    for (const id of ['one', 'two'])
      expect((await world.call('GET', `/api/receipts/${id}`, { key })).body.status, at).toBe('failed')
    await say(`DELETE FROM set_aside`)
  }
  await archiveAll(world)
  expect(await listArchived(world, wallet)).toEqual(['one', 'two'])

  const session = await logInAs(world, wallet, 'owner')
  const body = { receiptId: 'one', wallet, status: 'checkout_success' }
  for (const at of ['insert-archived-receipt', 'drop-archived-document', 'drop-archived-receipt']) {
    breaksAt = at
    expect((await world.call('POST', '/api/receipts/status', { session, body })).status, at).toBe(503)
    expect(breaksAt, at).toBeUndefined()
    expect(await listArchived(world, wallet), at).toEqual(['one', 'two'])
  }
  expect((await world.call('POST', '/api/receipts/status', { session, body })).status).toBe(200)
  expect((await world.call('GET', '/api/receipts/one', { key })).body.status).toBe('paid')
  expect(await listArchived(world, wallet)).toEqual(['two'])
})
