import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { keptBelowFinal } from '../../../src/payments/cursors/store.ts'
import { asOutage } from '../../../src/platform/database/degraded.ts'
import { listAllSetAside } from '../../../src/platform/jobs/set-aside-store.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'
import { startProxiedPayments } from './watched-payments.ts'

const hourSeconds = 3_600

const world = perFile(startProxiedPayments)
beforeEach(() => world.syncClock())

test('a surplus that was applied elsewhere before the hourly look stops nobody, and counts once', async () => {
  const attempt = await world.open('surplus', 20, 'USDC')
  const bystander = await world.open('bystander', 20, 'USDC')
  await world.open('elsewhere', 20, 'USDC')
  await world.pay(attempt, 'transfer')
  await world.lookAfter(23.5 * hourSeconds)
  expect(await world.status('surplus')).toBe('paid')
  const { hash } = await world.pay(attempt, 'transfer', BigInt(attempt.amount))
  await world.passTime(60)
  await world.scan()
  await apply(hash, 'elsewhere')
  expect(await world.status('elsewhere')).toBe('paid')

  await world.passTime(2 * hourSeconds)
  await world.scan()
  await world.pay(bystander, 'transfer')
  await world.lookAfter(2 * hourSeconds)
  expect(await world.status('bystander')).toBe('paid')
  expect(await world.payment('elsewhere')).toMatchObject({ received: attempt.amount })
  expect(await world.payment('surplus')).toMatchObject({ received: attempt.amount })
  expect(await setAside()).toEqual([])
})

describe('a receipt that cannot be settled', () => {
  test('is set aside with its reason, once said, while others are paid; mended, it is paid with what came', async () => {
    const broken = await world.open('broken', 20, 'USDC')
    const sound = await world.open('sound', 20, 'USDC')
    await breakAttempts('broken')
    await world.pay(broken, 'transfer', BigInt(broken.amount) / 2n)
    await world.payAndScan(sound, 'transfer')
    expect(await world.status('sound')).toBe('paid')
    const reason = expect.stringContaining('a token is never removed from the list')
    const aside = { job: 'scan-transfers', item: 'receipt broken', reason, tries: 1 }
    expect(await setAside()).toMatchObject([aside])

    await world.payAndScan(broken, 'transfer', BigInt(broken.amount) - BigInt(broken.amount) / 2n)
    for (let i = 0; i < 5; i++) await world.passTime(20)
    await world.scan()
    await world.scan()
    expect((await setAside())[0]?.tries).toBeGreaterThan(1)
    expect(alerts('receipt broken')).toHaveLength(1)

    await mendAttempts('broken')
    await passHour()
    expect(await world.payment('broken')).toMatchObject({ status: 'paid', received: broken.amount })
    expect(await setAside()).toEqual([])
    expect(await world.notices('broken')).toHaveLength(1)
  })

  test('is paid in the end also where its id looks like a number of the records', async () => {
    const attempt = await world.open('42n', 20, 'USDC')
    await breakAttempts('42n')
    await world.payAndScan(attempt, 'transfer')
    expect(await setAside()).toMatchObject([{ item: 'receipt 42n' }])
    await mendAttempts('42n')
    await passHour()
    expect(await world.payment('42n')).toMatchObject({ status: 'paid', received: attempt.amount })
    expect(await setAside()).toEqual([])
  })

  test('loses and doubles nothing when the block of its money is replaced meanwhile', async () => {
    const attempt = await world.open('moved', 20, 'ETH')
    await breakAttempts('moved')
    const { raw } = await world.payAndScan(attempt, 'transfer')
    expect(await setAside()).toMatchObject([{ item: 'receipt moved' }])
    await world.chain.reorg(1, [{ raw, offset: 0 }])
    await world.mineAndScan()
    await mendAttempts('moved')
    await passHour()
    expect(await world.payment('moved')).toMatchObject({ status: 'paid', received: attempt.amount })
    expect(await setAside()).toEqual([])
  })

  test('does not stop the way back from a reorg', async () => {
    const broken = await world.open('lost-broken', 20, 'USDC')
    const sound = await world.open('lost-sound', 20, 'USDC')
    const { raw } = await world.pay(sound, 'transfer', BigInt(sound.amount) / 2n)
    await world.payAndScan(broken, 'transfer', BigInt(broken.amount) / 2n)
    await breakAttempts('lost-broken')
    await world.chain.reorg(1, [{ raw, offset: 0 }])
    await world.mineAndScan()
    expect(await setAside()).toMatchObject([{ item: 'receipt lost-broken' }])
    const { received } = await world.payment('lost-sound')
    expect(received).toBe((BigInt(sound.amount) / 2n).toString())
    await mendAttempts('lost-broken')
    await passHour()
    expect(await setAside()).toEqual([])
    expect(await world.payment('lost-broken')).toMatchObject({ received: '0' })
  })
})

test.each([
  '57014',
  '25P03',
])('a receipt whose own work takes too long waits alone, with all that was found for it (%s)', async (code) => {
  const [large, sound, later] = [`large-${code}`, `sound-${code}`, `later-${code}`]
  const half = await world.open(large, 20, 'USDC')
  await world.pay(half, 'transfer')
  await world.pay(await world.open(sound, 20, 'USDC'), 'transfer')
  await world.mine()
  const db = wrapDatabase(world.needs.db, ({ name, values = [] }, run) => {
    if (name !== 'list-payments' || !values.includes(large)) return run()
    throw asOutage(Object.assign(new Error('it took too long'), { code }))
  })
  await world.scan({ db })
  expect([await world.status(large), await world.status(sound)]).toEqual(['pending', 'paid'])
  const aside = { job: 'scan-transfers', item: `receipt ${large}`, error: 'took_too_long' }
  expect(await setAside()).toMatchObject([{ ...aside, tries: 1 }])
  await world.pay(await world.open(later, 20, 'USDC'), 'transfer')
  await world.passTime(20)
  await world.scan({ db })
  expect(await world.status(later)).toBe('paid')
  expect(await setAside()).toMatchObject([{ ...aside, tries: 2 }])
  await passHour()
  expect(await world.payment(large)).toMatchObject({ status: 'paid', received: half.amount })
  expect(await setAside()).toEqual([])
})

test('money of one that cannot be marked as lost stops nobody’s way back, and is marked once it can be', async () => {
  for (const id of ['unmarked', 'marked']) await world.pay(await world.open(id, 20, 'USDC'), 'transfer')
  await world.mineAndScan()
  for (const id of ['unmarked', 'marked']) expect(await world.status(id)).toBe('paid')
  await world.rows(
    `ALTER TABLE payment ADD CONSTRAINT poison CHECK (receipt_id <> 'unmarked' OR state <> 'orphaned')`,
  )
  await world.chain.reorg(1)
  await world.mineAndScan()
  expect(await world.payment('marked')).toMatchObject({ state: 'orphaned', received: '0' })
  expect((await world.payment('unmarked')).state).toBe('paid')
  const reason = expect.stringContaining('"poison')
  expect(await setAside()).toMatchObject([{ job: 'scan-transfers', item: 'receipt unmarked', reason }])
  await world.payAndScan(await world.open('after-loss', 20, 'ETH'), 'transfer')
  expect(await world.status('after-loss')).toBe('paid')

  await world.rows('ALTER TABLE payment DROP CONSTRAINT poison')
  await passHour()
  expect(await setAside()).toEqual([])
  expect(await world.payment('unmarked')).toMatchObject({ state: 'orphaned', received: '0' })
  expect((await world.notices('unmarked')).map(({ body }) => body.paymentState)).toEqual(['paid', 'orphaned'])
})

test('what could not be marked for so long that its block is forgotten ends all the same', async () => {
  const ids = ['gone', 'unnoted', 'again']
  const again = await world.open('again', 20, 'USDC')
  const { raw } = await world.pay(again, 'transfer')
  for (const id of ['gone', 'unnoted']) await world.pay(await world.open(id, 20, 'USDC'), 'transfer')
  await world.mineAndScan()
  for (const id of ids) expect(await world.status(id)).toBe('paid')
  await world.rows(
    `ALTER TABLE payment ADD CONSTRAINT poison CHECK (state <> 'orphaned' OR receipt_id NOT IN ('gone', 'unnoted', 'again'))`,
  )
  await world.chain.reorg(1, [{ raw, offset: 0 }])
  await world.mineAndScan()
  expect((await setAside()).map(({ item }) => item).sort()).toEqual(ids.map((id) => `receipt ${id}`).sort())
  // As earlier releases wrote it.
  await world.rows(
    `UPDATE set_aside_news SET content = content - 'goneHash' WHERE item = 'receipt unnoted' AND kind = 'orphaned'`,
  )
  await world.passTime(2 * hourSeconds, Number(keptBelowFinal) + 100)
  await world.scan()
  await world.rows('ALTER TABLE payment DROP CONSTRAINT poison')
  await passHour()
  expect(await setAside()).toEqual([])
  for (const id of ['gone', 'unnoted'])
    expect(await world.payment(id)).toMatchObject({ state: 'orphaned', received: '0' })
  expect(await world.payment('again')).toMatchObject({ state: 'paid', received: again.amount })
  const credits = await world.rows(`SELECT FROM payment WHERE receipt_id = 'again' AND state = 'credited'`)
  expect(credits).toHaveLength(1)
})

const setAside = () => listAllSetAside(world.needs.db, 100)

async function passHour() {
  await world.passTime(hourSeconds)
  await world.scan()
}

function alerts(item: string) {
  return world.logged.filter((line) => line.alert === 'item-set-aside' && line.item === item)
}

/** A row that no code of ours can read: what a defect, a bad restore or a bad migration leaves. */
const breakAttempts = (id: string) =>
  world.rows(`UPDATE attempt SET token = 'none' WHERE merchant = $1 AND receipt_id = $2`, [
    world.merchant.wallet,
    id,
  ])

const mendAttempts = (id: string) =>
  world.rows(
    `UPDATE attempt SET token = CASE WHEN token_address = $3 THEN 'ETH' ELSE 'USDC' END
      WHERE merchant = $1 AND receipt_id = $2`,
    [world.merchant.wallet, id, nativeAddress],
  )

async function apply(hash: string, receiptId: string) {
  const [payment] = await world.cases(hash)
  const body = { action: 'apply', receiptId }
  const response = await world.asOwner('POST', `/api/payments/unmatched/${payment?.id}`, body)
  expect(response.status).toBe(200)
}
