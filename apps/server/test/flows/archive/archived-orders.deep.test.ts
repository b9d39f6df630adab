import { expect, test } from 'vitest'
import { listSealed, replaceSealed } from '../../../src/app/secrets/reseal-store.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { archiveAfterDays, archiveAfterMs, archiveAll, listArchived } from '../../support/api/archive.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { startMerchantApi } from '../../support/api/merchant-api.ts'
import { perFile } from '../../support/per-file.ts'

const world = perFile(() => startMerchantApi({ archiveAfterDays }))

test('an order is read by its id when its receipt is archived, and waits until its stock is settled', async () => {
  const { wallet } = world.merchant
  await world.addSplit(wallet)
  const product = { sku: 'coffee', name: 'Coffee', priceUsd: 3.5, stockQty: 5 }
  expect((await world.post('/api/inventory', product)).status).toBe(201)
  const body = { items: [{ sku: 'coffee', qty: 2 }], jurisdictionCode: 'US-CA', taxRate: 0 }
  const ordered = await world.post('/api/orders', body)
  expect(ordered.status, ordered.text).toBe(201)
  const { id } = ordered.body
  await world.move(id, 'failure_verified')
  await world.clock.advance(archiveAfterMs)
  // Its stock is held as long as nobody has looked after it.
  await archiveAll(world)
  expect(await listArchived(world, wallet)).toEqual([])
  await world.run(jobNames.settleStock)

  const before = await world.get(`/api/orders/${id}`)
  expect(before.body.order ?? before.body).toMatchObject({ status: 'failed', stock: 'given_back' })
  await archiveAll(world)
  expect(await listArchived(world, wallet)).toEqual([id])
  expect((await world.get(`/api/orders/${id}`)).body).toEqual(before.body)
  expect((await world.get('/api/orders')).body.orders).toEqual([])
  const other = await world.addMerchant()
  expectApiError(await world.get(`/api/orders/${id}`, { key: other.key }), 404, 'not_found')
  // A link of the receipt's id alone.
  expect((await world.call('GET', `/api/checkout/${id}`)).status).toBe(200)
})

test('a key that is sealed anew while its receipt is archived signs when it is back', async () => {
  const { wallet } = world.merchant
  const id = await world.newReceipt()
  await world.move(id, 'failure_verified')
  await world.clock.advance(archiveAfterMs)
  await archiveAll(world)
  const db = world.database.pool
  const sealed = await listSealed(db, 'archived', { merchant: '', id: '' }, 10)
  const [row] = sealed.filter((each) => each.id === id)
  if (!row) throw new Error('a receipt that was made with a key has it sealed')
  const text = 'SELECT document::text AS text FROM archived_document WHERE merchant = $1 AND id = $2'
  const [document] = await db.rows<{ text: string }>({ name: '', text }, [wallet, id])
  expect(document?.text).not.toContain(row.sealed)

  const resealed = `${row.sealed.slice(0, -4)}AAAA`
  expect(await db.transaction((tx) => replaceSealed(tx, 'archived', [{ ...row, resealed }]))).toBe(1)
  await world.takeForPaid(id)
  const back = await listSealed(db, 'receipts', { merchant: '', id: '' }, 10)
  expect(back.find((each) => each.id === id)?.sealed).toBe(resealed)
  expect((await world.detail(id)).status).toBe('paid')
})
