import { expect, test } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { archiveAfterDays, archiveAfterMs, archiveAll, listArchived } from '../../support/api/archive.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

/** The statement before which all that is old is archived. */
let archivesBefore: string | undefined

function archiveFirst(db: Database): Database {
  async function first<T>({ name }: { readonly name: string }, work: () => Promise<T>): Promise<T> {
    if (name === archivesBefore) {
      archivesBefore = undefined
      await archiveAll(world)
    }
    return work()
  }
  return {
    rows: (statement, values) => first(statement, () => db.rows(statement, values)),
    row: (statement, values) => first(statement, () => db.row(statement, values)),
    run: (statement, values) => first(statement, () => db.run(statement, values)),
    transaction: (work) => db.transaction((tx) => work(archiveFirst(tx))),
  }
}

const world = perFile(() => startApi({ archiveAfterDays, between: archiveFirst }))

/** A merchant with receipts that are old, of which every other one is closed, from the first on or from the second. */
async function startHalfClosed(closed: 'odd' | 'even') {
  const merchant = await world.addMerchant()
  const ids = ['r1', 'r2', 'r3', 'r4', 'r5']
  for (const [i, id] of ids.entries()) {
    const made = await world.call('POST', '/api/receipts', { key: merchant.key, body: receiptBody(id) })
    expect(made.status, made.text).toBe(201)
    await world.clock.advance(1_000)
    if ((i % 2 === 0) === (closed === 'odd')) await world.move(merchant.wallet, id, 'failure_verified')
  }
  await world.clock.advance(archiveAfterMs)
  return merchant
}

const closings = ['odd', 'even'] as const
const left = { odd: ['r4', 'r2'], even: ['r5', 'r3', 'r1'] }

test.each(
  closings,
)('an export leaves out what is archived meanwhile, has all else once, and ends (%s)', async (closed) => {
  const { key, wallet } = await startHalfClosed(closed)
  archivesBefore = 'find-receipts'
  const { text } = await rawOf(key, '/api/receipts/export')
  expect((await listArchived(world, wallet)).length).toBe(5 - left[closed].length)
  const ids = text
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0])
  expect(ids).toEqual(left[closed])
})

test.each(
  closings,
)('a filtered list has each receipt once though others are archived meanwhile (%s)', async (closed) => {
  const { key } = await startHalfClosed(closed)
  archivesBefore = 'list-these-receipts'
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/api/receipts?limit=2&currency=USD${cursor && `&cursor=${cursor}`}`
    const { body } = await world.call('GET', path, { key })
    seen.push(...body.receipts.map(({ receiptId }: { receiptId: string }) => receiptId))
    cursor = body.nextCursor
  }
  expect(seen).toEqual(left[closed])
})

/** An answer that is not JSON. */
async function rawOf(key: string, path: string): Promise<{ text: string }> {
  const answer = await fetch(world.url + path, { headers: { 'ocp-apim-subscription-key': key } })
  expect(answer.status).toBe(200)
  return { text: await answer.text() }
}
