import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listAllSetAside } from '../../../src/platform/jobs/set-aside-store.ts'
import { logInAs } from '../../support/asking/log-in.ts'
import { type ProxiedWorld, startProxiedWorld } from '../../support/worlds/proxied-world.ts'

const hourSeconds = 3_600

let proxied: ProxiedWorld
let world: ProxiedWorld['world']
beforeAll(async () => {
  proxied = await startProxiedWorld()
  world = proxied.world
}, 120_000)
afterAll(() => proxied?.stop())
beforeEach(() => world.syncClock())

test('a surplus that was applied elsewhere before the hourly look stops nobody, and counts once', async () => {
  for (const id of ['surplus', 'elsewhere', 'bystander']) await world.newReceipt(id, 20)
  const attempt = await world.attempt('surplus', 'USDC')
  const bystander = await world.attempt('bystander', 'USDC')
  await world.attempt('elsewhere', 'USDC')
  await world.pay(attempt, 'transfer')
  await passTime(23.5 * hourSeconds)
  await look()
  expect(await world.status('surplus')).toBe('paid')
  const { hash } = await world.pay(attempt, 'transfer', BigInt(attempt.amount))
  await passTime(60)
  await world.scan()
  await apply(hash, 'elsewhere')
  expect(await world.status('elsewhere')).toBe('paid')

  await passTime(2 * hourSeconds)
  await world.scan()
  await world.pay(bystander, 'transfer')
  await passTime(2 * hourSeconds)
  await look()
  expect(await world.status('bystander')).toBe('paid')
  expect((await world.checkout('elsewhere')).payment).toMatchObject({ received: attempt.amount })
  expect((await world.checkout('surplus')).payment).toMatchObject({ received: attempt.amount })
  expect(await setAside()).toEqual([])
}, 90_000)

describe('a receipt that cannot be settled', () => {
  test('is set aside with its reason, once said, while others are paid; mended, it is paid with what came', async () => {
    for (const id of ['broken', 'sound']) await world.newReceipt(id, 20)
    const [broken, sound] = [await world.attempt('broken', 'USDC'), await world.attempt('sound', 'USDC')]
    await breakAttempts('broken')
    await world.pay(broken, 'transfer', BigInt(broken.amount) / 2n)
    await world.pay(sound, 'transfer')
    await world.mine()
    await world.scan()
    expect(await world.status('sound')).toBe('paid')
    const reason = expect.stringContaining('a token is never removed from the list')
    expect(await setAside()).toMatchObject([
      { job: 'scan-transfers', item: 'receipt broken', reason, tries: 1 },
    ])

    await world.pay(broken, 'transfer', BigInt(broken.amount) - BigInt(broken.amount) / 2n)
    await world.mine()
    await world.scan()
    for (let i = 0; i < 5; i++) await passTime(20)
    await world.scan()
    await world.scan()
    expect((await setAside())[0]?.tries).toBeGreaterThan(1)
    expect(alerts('receipt broken')).toHaveLength(1)

    await mendAttempts('broken')
    await passTime(hourSeconds)
    await world.scan()
    expect(await world.checkout('broken')).toMatchObject({
      status: 'paid',
      payment: { received: broken.amount },
    })
    expect(await setAside()).toEqual([])
    expect(await world.notices('broken')).toHaveLength(1)
  }, 90_000)

  test('loses and doubles nothing when the block of its money is replaced meanwhile', async () => {
    await world.newReceipt('moved', 20)
    const attempt = await world.attempt('moved', 'ETH')
    await breakAttempts('moved')
    const { raw } = await world.pay(attempt, 'transfer')
    await world.mine()
    await world.scan()
    expect(await setAside()).toMatchObject([{ item: 'receipt moved' }])
    await world.chain.reorg(1, [{ raw, offset: 0 }])
    await world.mine()
    await world.scan()
    await mendAttempts('moved')
    await passTime(hourSeconds)
    await world.scan()
    expect(await world.checkout('moved')).toMatchObject({
      status: 'paid',
      payment: { received: attempt.amount },
    })
    expect(await setAside()).toEqual([])
  }, 90_000)

  test('does not stop the way back from a reorg', async () => {
    for (const id of ['lost-broken', 'lost-sound']) await world.newReceipt(id, 20)
    const [broken, sound] = [
      await world.attempt('lost-broken', 'USDC'),
      await world.attempt('lost-sound', 'USDC'),
    ]
    const { raw } = await world.pay(sound, 'transfer', BigInt(sound.amount) / 2n)
    await world.pay(broken, 'transfer', BigInt(broken.amount) / 2n)
    await world.mine()
    await world.scan()
    await breakAttempts('lost-broken')
    await world.chain.reorg(1, [{ raw, offset: 0 }])
    await world.mine()
    await world.scan()
    expect(await setAside()).toMatchObject([{ item: 'receipt lost-broken' }])
    expect((await world.checkout('lost-sound')).payment).toMatchObject({
      received: (BigInt(sound.amount) / 2n).toString(),
    })
    await mendAttempts('lost-broken')
    await passTime(hourSeconds)
    await world.scan()
    expect(await setAside()).toEqual([])
    expect((await world.checkout('lost-broken')).payment).toMatchObject({ received: '0' })
  }, 90_000)
})

test('money of one that cannot be marked as lost stops nobody’s way back, and is marked once it can be', async () => {
  for (const id of ['unmarked', 'marked']) await world.newReceipt(id, 20)
  for (const id of ['unmarked', 'marked']) await world.pay(await world.attempt(id, 'USDC'), 'transfer')
  await world.mine()
  await world.scan()
  for (const id of ['unmarked', 'marked']) expect(await world.status(id)).toBe('paid')
  await world.needs.db.run({
    name: 'test-poison-loss',
    text: `ALTER TABLE payment ADD CONSTRAINT poison CHECK (receipt_id <> 'unmarked' OR state <> 'orphaned')`,
  })
  await world.chain.reorg(1)
  await world.mine()
  await world.scan()
  expect((await world.checkout('marked')).payment).toMatchObject({ state: 'orphaned', received: '0' })
  expect((await world.checkout('unmarked')).payment.state).toBe('paid')
  const reason = expect.stringContaining('"poison"')
  expect(await setAside()).toMatchObject([{ job: 'scan-transfers', item: 'receipt unmarked', reason }])
  await world.newReceipt('after-loss', 20)
  await world.pay(await world.attempt('after-loss', 'ETH'), 'transfer')
  await world.mine()
  await world.scan()
  expect(await world.status('after-loss')).toBe('paid')

  await world.needs.db.run({ name: 'test-cure-loss', text: 'ALTER TABLE payment DROP CONSTRAINT poison' })
  await passTime(hourSeconds)
  await world.scan()
  expect(await setAside()).toEqual([])
  expect((await world.checkout('unmarked')).payment).toMatchObject({ state: 'orphaned', received: '0' })
  expect((await world.notices('unmarked')).map(({ body }) => body.paymentState)).toEqual(['paid', 'orphaned'])
}, 90_000)

async function setAside() {
  return listAllSetAside(world.needs.db, 100)
}

function alerts(item: string) {
  return world.logged.filter((line) => line.alert === 'item-set-aside' && line.item === item)
}

/** A row that no code of ours can read: what a defect, a bad restore or a bad migration leaves. */
async function breakAttempts(id: string) {
  await world.needs.db.run(
    {
      name: 'test-break-attempts',
      text: `UPDATE attempt SET token = 'none' WHERE merchant = $1 AND receipt_id = $2`,
    },
    [world.merchant.wallet, id],
  )
}

async function mendAttempts(id: string) {
  await world.needs.db.run(
    {
      name: 'test-mend-attempts',
      text: `UPDATE attempt SET token = CASE token_address WHEN $3 THEN 'ETH' ELSE 'USDC' END
        WHERE merchant = $1 AND receipt_id = $2`,
    },
    [world.merchant.wallet, id, nativeAddress],
  )
}

async function apply(hash: string, receiptId: string) {
  const session = await logInAs(world.api, world.merchant.wallet, 'owner')
  const listed = await world.api.call('GET', '/api/payments/unmatched?state=all', { session })
  const payment = listed.body.payments.find(
    (each: { transactionHash: string }) => each.transactionHash === hash,
  )
  const body = { action: 'apply', receiptId }
  const answer = await world.api.call('POST', `/api/payments/unmatched/${payment.id}`, {
    body,
    session,
  })
  expect(answer.status).toBe(200)
}

const look = () => proxied.look()
const passTime = (seconds: number) => proxied.passTime(seconds)
