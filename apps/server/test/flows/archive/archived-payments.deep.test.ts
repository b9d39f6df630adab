import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { archiveAfterDays, archiveAll, detachMonth, listArchived } from '../../support/api/archive.ts'
import { always } from '../../support/chain/chain-api.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { settlingWork } from '../../support/chain/settlement.ts'
import { perFile } from '../../support/per-file.ts'

const policy = always('seen')
const world = perFile(() => startPayments({ archiveAfterDays, policy, slotsInAnEpoch: 1 }))

const archived = () => listArchived(world.api, world.merchant.wallet)
const month = 31 * 86_400

/** The payments of a receipt, each with the number of claims of its log. */
async function creditsOf(id: string) {
  const payments = await world.rows<{ tx_hash: string; state: string }>(
    'SELECT tx_hash, state FROM payment WHERE merchant = $1 AND receipt_id = $2 ORDER BY block_number',
    [world.merchant.wallet, id],
  )
  const claims = await world.rows<{ tx_hash: string }>('SELECT tx_hash FROM log_claim')
  const countOf = (hash: string) => claims.filter(({ tx_hash }) => tx_hash === hash).length
  return payments.map(({ tx_hash, state }) => ({ state, claims: countOf(tx_hash) }))
}

/** Webhooks go nowhere in this world, and nobody is to wait for them. */
const deliverAll = () =>
  world.rows(`UPDATE notice SET state = 'delivered' WHERE merchant = $1 AND state = 'pending'`, [
    world.merchant.wallet,
  ])

/** Time passes until what is closed is old, and all of it is archived. */
async function archiveOld(): Promise<void> {
  await world.passTime(month)
  await world.look()
  await world.lookAfter(3_600)
  await world.api.run(...settlingWork)
  await deliverAll()
  await archiveAll(world.api)
}

test('a late payment to an archived receipt moves it back, is credited once, and pays it', async () => {
  for (const id of ['late-call', 'late-transfer']) await world.newReceipt(id, 10)
  const call = await world.attempt('late-call', 'USDC')
  const transfer = await world.attempt('late-transfer', 'USDC')
  await world.lookAfter(3_600)
  const { key } = world.merchant
  for (const id of ['late-call', 'late-transfer']) {
    const { status } = await world.api.call('POST', `/api/receipts/${id}/cancel`, { key, body: {} })
    expect(status).toBe(200)
  }
  await archiveOld()
  expect(await archived()).toEqual(['late-call', 'late-transfer'])
  expect(await world.status('late-call')).toBe('pending')

  await world.payAndScan(call, 'call')
  await world.pay(transfer, 'transfer')
  await world.mineAndScan()
  for (let day = 0; day < 3; day++) await world.lookAfter(86_400)
  for (const id of ['late-call', 'late-transfer']) {
    expect(await world.payment(id), id).toMatchObject({ status: 'paid', state: 'late', missing: '0' })
    expect(await creditsOf(id), id).toMatchObject([{ state: 'credited', claims: 1 }])
    expect((await world.notices(id)).map(({ body }) => [body.previousStatus, body.status])).toEqual([
      ['pending', 'paid'],
    ])
    const { timeline } = await world.detail(id)
    const kinds = timeline.map(({ kind }: { kind: string }) => kind)
    expect(kinds.slice(0, 3)).toEqual(['created', 'attempt_opened', 'cancelled'])
  }
  expect(await archived()).toEqual([])
})

test('a paid receipt leaves once its money is distributed, and reads as before with payments and distribution', async () => {
  await world.open('whole', 20, 'USDC').then((attempt) => world.payAndScan(attempt, 'transfer'))
  await world.lookAfter(month)
  await deliverAll()
  await archiveAll(world.api)
  expect(await archived()).not.toContain('whole')
  for (let block = 0; block < 20 && (await world.status('whole')) !== 'reconciled'; block++) {
    await world.scan()
    await world.api.run(...settlingWork)
    await world.mine()
    await world.syncClock()
  }
  const stable = async () => {
    const { payment, ...detail } = await world.detail('whole')
    // The chain goes on meanwhile.
    const { confirmations: _, coverage: __, ...money } = payment
    return { ...detail, money }
  }
  const read = await stable()
  await archiveOld()
  expect(await archived()).toContain('whole')
  expect(await stable()).toEqual(read)
  expect(read).toMatchObject({ status: 'reconciled', money: { state: 'paid', missing: 0 } })
  expect(read.timeline.map(({ kind }: { kind: string }) => kind)).toContain('distributed')

  // More money on it finds it, and is a case as on any other.
  const [attempt] = await world.rows<{ deposit_address: `0x${string}` }>(
    'SELECT deposit_address FROM attempt WHERE merchant = $1 AND receipt_id = $2',
    [world.merchant.wallet, 'whole'],
  )
  const { hash } = await world.api.transfer(
    world.api.tokenAddress('USDC'),
    attempt?.deposit_address ?? '0x',
    5_000_000n,
  )
  await world.mineAndScan()
  for (let day = 0; day < 3; day++) await world.lookAfter(86_400)
  expect(await world.cases(hash)).toMatchObject([{ receiptId: 'whole', amountRaw: '5000000' }])
  expect(await creditsOf('whole')).toMatchObject([
    { state: 'credited', claims: 1 },
    { state: 'unmatched', claims: 0 },
  ])
  expect((await world.detail('whole')).status).toBe('reconciled')
})

test('a late payment to a receipt of a detached month waits, alone, until the month is attached, and pays it then', async () => {
  const attempt = await world.open('far', 10, 'USDC')
  await world.lookAfter(3_600)
  const { key } = world.merchant
  await world.api.call('POST', '/api/receipts/far/cancel', { key, body: {} })
  await archiveOld()
  expect(await archived()).toContain('far')
  const [{ name, start, finish } = { name: '', start: 0n, finish: 0n }] = await world.rows<{
    name: string
    start: bigint
    finish: bigint
  }>(`SELECT 'archived_document_' || to_char(first, 'YYYY_MM') AS name,
      (extract(epoch FROM first AT TIME ZONE 'UTC') * 1000)::int8 AS start,
      (extract(epoch FROM (first + interval '1 month') AT TIME ZONE 'UTC') * 1000)::int8 AS finish
    FROM (SELECT date_trunc('month', to_timestamp(closed_at / 1000) AT TIME ZONE 'UTC') AS first
      FROM archived_receipt WHERE id = 'far') AS month`)
  await world.rows(detachMonth(name))

  const beside = await world.open('beside', 10, 'USDC')
  const late = await world.pay(attempt, 'call')
  await world.payAndScan(beside, 'call')
  expect(await world.status('beside')).toBe('paid')
  expect(await creditsOf('far')).toEqual([])
  const [aside] = await world.rows<{ reason: string }>(
    `SELECT reason FROM set_aside WHERE item = 'receipt far'`,
  )
  expect(aside?.reason).toContain('detached')

  await world.rows(`ALTER TABLE archived_document ATTACH PARTITION ${name}
    FOR VALUES FROM (${start}) TO (${finish})`)
  await world.passTime(7_200)
  await world.scan()
  await world.mineAndScan()
  expect(await world.payment('far')).toMatchObject({ status: 'paid', state: 'late', missing: '0' })
  expect(await world.cases(late.hash)).toEqual([])
  expect(await creditsOf('far')).toMatchObject([{ state: 'credited', claims: 1 }])
  expect(await archived()).not.toContain('far')
  expect(await world.rows(`SELECT item FROM set_aside WHERE job = $1`, [jobNames.scanTransfers])).toEqual([])
})
