import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/token.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { verifyRefundsJob } from '../../src/payments/verify-refunds.ts'
import { logInAs, newWallet, type TestSession } from '../support/log-in.ts'
import { type PaymentWorld, startPaymentWorld } from '../support/payment-world.ts'

const buyer = newWallet().wallet
let world: PaymentWorld
let owner: TestSession
let count = 0

beforeAll(async () => {
  world = await startPaymentWorld()
})
afterAll(() => world?.stop())
beforeEach(async () => {
  await world.syncClock()
  owner = await logInAs(world.api, world.merchant.wallet, 'owner')
})

const refund = (body: object, options: object = { session: owner }) =>
  world.api.call('POST', '/api/receipts/refund', {
    body: { wallet: world.merchant.wallet, buyer, ...body },
    ...options,
  })
const detail = async (id: string) =>
  (await world.api.call('GET', `/api/receipts/${id}`, { key: world.merchant.key })).body

/** A receipt that is paid on the chain. */
async function paid(usd: number, token: TokenSymbol = 'USDC', extra = 0n): Promise<string> {
  const id = `refund-${++count}`
  await world.newReceipt(id, usd)
  const attempt = await world.attempt(id, token)
  await world.pay(attempt, 'transfer', BigInt(attempt.amount) + extra)
  await world.mine(6)
  await world.scan()
  expect(await world.status(id)).toBe('paid')
  await world.syncClock()
  return id
}

/** Sends a token, or ETH, to somebody; mined unless said otherwise. */
async function send(to: string, token: TokenSymbol, units: bigint, blocks = 6): Promise<Hex> {
  const args = [to as Hex, units] as const
  const { hash } = await world.send(
    token === 'ETH'
      ? { to: to as Hex, value: units }
      : {
          to: world.tokenAddress(token),
          data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
        },
  )
  if (blocks > 0) await world.mine(blocks)
  return hash
}

async function verify(ms = 2_000): Promise<void> {
  world.api.clock.jumpTo(world.api.clock.now() + ms)
  await verifyRefundsJob(world.needs).run(new AbortController().signal)
}

describe('without a transaction', () => {
  test('a part of it leaves the status; the rest makes the receipt refunded, which is told once', async () => {
    const receiptId = await paid(20)
    const items = [{ label: 'Cup', priceUsd: 5, qty: 1 }]
    const first = await refund({ receiptId, usd: 5, items })
    expect([first.status, first.body]).toEqual([200, { ok: true }])
    expect(first.headers.get('x-correlation-id')).toBeTruthy()
    const half = await detail(receiptId)
    expect(half.status).toBe('paid')
    expect(half.refunds).toEqual([
      {
        id: expect.any(String),
        kind: 'price',
        usd: 5,
        buyer,
        items,
        txHash: null,
        mark: null,
        fault: null,
        isCounted: true,
        by: owner.wallet,
        createdAt: world.api.clock.now(),
      },
    ])
    expect(half.timeline.at(-1)).toMatchObject({
      kind: 'refund_logged',
      detail: { usd: '5', by: owner.wallet },
    })
    expect((await refund({ receiptId, usd: 15 })).status).toBe(200)
    const whole = await detail(receiptId)
    expect(whole.status).toBe('refunded')
    const notices = await world.notices(receiptId)
    expect(notices.map(({ body }) => [body.previousStatus, body.status])).toEqual([
      ['pending', 'paid'],
      ['paid', 'refunded'],
    ])
    const audit = await world.api.call('GET', '/api/audit', { session: owner })
    expect(audit.body.entries[0]).toMatchObject({ action: 'refund.logged', subject: receiptId })
  })

  test('a requested refund becomes refunded when all is given back', async () => {
    const receiptId = await paid(8)
    const body = { receiptId, wallet: world.merchant.wallet, status: 'refund_requested' }
    await world.api.call('POST', '/api/receipts/status', { session: owner, body })
    await refund({ receiptId, usd: 3 })
    expect((await detail(receiptId)).status).toBe('refund_requested')
    await refund({ receiptId, usd: 5 })
    expect((await detail(receiptId)).status).toBe('refunded')
  })
})

describe('never more than was paid', () => {
  test('beyond the customer’s total, before payment, and after everything was given back: invalid_usd', async () => {
    const receiptId = await paid(10)
    const tooMuch = await refund({ receiptId, usd: 10.01 })
    expect([tooMuch.status, tooMuch.body.error]).toEqual([400, 'invalid_usd'])
    await refund({ receiptId, usd: 7.5 })
    expect((await refund({ receiptId, usd: 2.51 })).body.error).toBe('invalid_usd')
    expect((await refund({ receiptId, usd: 2.5 })).status).toBe(200)
    expect((await refund({ receiptId, usd: 0.01 })).body.error).toBe('invalid_usd')
    const unpaid = `refund-${++count}`
    await world.newReceipt(unpaid, 10)
    const early = await refund({ receiptId: unpaid, usd: 1 })
    expect([early.status, early.body.error]).toEqual([400, 'invalid_usd'])
  })

  test('ten people refunding at one moment give back the total and not a cent more', async () => {
    const receiptId = await paid(10)
    const answers = await Promise.all(Array.from({ length: 10 }, () => refund({ receiptId, usd: 3 })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.filter(({ body }) => body.error === 'invalid_usd')).toHaveLength(7)
    const usd = (await detail(receiptId)).refunds.reduce(
      (sum: number, each: { usd: number }) => sum + each.usd,
      0,
    )
    expect(usd).toBe(9)
  })

  test('what was paid beyond the total is given back apart from it, and no more of that either', async () => {
    const receiptId = await paid(10, 'USDC', 2_500_000n)
    expect((await refund({ receiptId, usd: 12.5 })).body.error).toBe('invalid_usd')
    expect((await refund({ receiptId, usd: 2.51, excess: true })).body.error).toBe('invalid_usd')
    expect((await refund({ receiptId, usd: 2.5, excess: true })).status).toBe(200)
    expect((await detail(receiptId)).status).toBe('paid')
    expect((await refund({ receiptId, usd: 0.01, excess: true })).body.error).toBe('invalid_usd')
    expect((await refund({ receiptId, usd: 10 })).status).toBe(200)
    expect((await detail(receiptId)).status).toBe('refunded')
  })
})

describe('with a transaction', () => {
  test.each<[TokenSymbol, bigint]>([
    ['USDC', 10_000_000n],
    ['ETH', 0n],
    ['cbBTC', 0n],
  ])('%s to the buyer counts once it is sure: tx_mined, then recipient_validated', async (token, known) => {
    const receiptId = await paid(10, token)
    const units = known || BigInt((await detail(receiptId)).payment.dueRaw)
    const txHash = await send(buyer, token, units, 0)
    expect(
      (await refund({ receiptId, usd: 10, txHash: txHash.toUpperCase().replace('0X', '0x') })).status,
    ).toBe(200)
    await verify()
    expect((await detail(receiptId)).refunds[0]).toMatchObject({ txHash, mark: null, isCounted: false })
    expect((await detail(receiptId)).status).toBe('paid')
    await world.mine()
    await verify()
    const after = await detail(receiptId)
    expect(after.refunds[0]).toMatchObject({ mark: 'recipient_validated', fault: null, isCounted: true })
    expect(after.status).toBe('refunded')
    expect(after.timeline.map(({ kind }: { kind: string }) => kind).slice(-3)).toEqual([
      'refund_logged',
      'refund_marked',
      'status',
    ])
  })

  test('a large one is tx_mined until its block is as sure as the amount asks for', async () => {
    const receiptId = await paid(500)
    const txHash = await send(buyer, 'USDC', 500_000_000n, 1)
    await refund({ receiptId, usd: 500, txHash })
    await verify()
    expect((await detail(receiptId)).refunds[0]).toMatchObject({ mark: 'tx_mined', isCounted: false })
    await world.mine(4)
    await verify()
    expect((await detail(receiptId)).status).toBe('refunded')
  })

  test.each<[string, (id: string) => Promise<Hex>]>([
    ['nothing went to the buyer', () => send(newWallet().wallet, 'USDC', 10_000_000n)],
    ['too little', () => send(buyer, 'USDC', 9_999_999n)],
    ['another token', () => send(buyer, 'cbXRP', 10_000_000n)],
    ['the transaction failed', () => send(buyer, 'USDC', 10n ** 30n)],
  ])('a mismatch does not count and frees the cap: %s', async (fault, make) => {
    const receiptId = await paid(10)
    const txHash = await make(receiptId)
    expect((await refund({ receiptId, usd: 10, txHash })).status).toBe(200)
    expect((await refund({ receiptId, usd: 10 })).body.error).toBe('invalid_usd')
    await verify()
    const after = await detail(receiptId)
    expect(after.refunds[0]).toMatchObject({ mark: 'tx_mismatch', fault, isCounted: false })
    expect(after.status).toBe('paid')
    expect((await refund({ receiptId, usd: 10 })).status).toBe(200)
    expect((await detail(receiptId)).status).toBe('refunded')
  })

  test('a transaction older than the payment refunds nothing', async () => {
    const txHash = await send(buyer, 'USDC', 10_000_000n)
    await world.chain.client.increaseTime({ seconds: 60 })
    const receiptId = await paid(10)
    await refund({ receiptId, usd: 10, txHash })
    await verify()
    expect((await detail(receiptId)).refunds[0]).toMatchObject({
      mark: 'tx_mismatch',
      fault: 'the transaction is older than the payment',
    })
  })

  test('one that never comes is given up after a week, not before', async () => {
    const receiptId = await paid(10)
    await refund({ receiptId, usd: 10, txHash: `0x${'ab'.repeat(32)}` })
    await verify()
    await verify(6 * 86_400_000)
    expect((await detail(receiptId)).refunds[0].mark).toBe(null)
    await verify(2 * 86_400_000)
    expect((await detail(receiptId)).refunds[0]).toMatchObject({ mark: 'tx_mismatch' })
  })

  test('the same again changes nothing; for another amount, receipt or buyer it is a conflict', async () => {
    const [receiptId, other] = [await paid(10), await paid(10)]
    const txHash = await send(buyer, 'USDC', 5_000_000n)
    const body = { receiptId, usd: 5, txHash }
    const answers = await Promise.all([refund(body), refund(body), refund(body)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await detail(receiptId)).refunds).toHaveLength(1)
    for (const change of [{ usd: 4 }, { receiptId: other }, { buyer: newWallet().wallet }]) {
      const answer = await refund({ ...body, ...change })
      expect([answer.status, answer.body.error]).toEqual([409, 'idempotency_conflict'])
    }
    const raced = await Promise.all([
      refund({ receiptId, usd: 1, txHash: `0x${'01'.repeat(32)}` }),
      refund({ receiptId: other, usd: 1, txHash: `0x${'01'.repeat(32)}` }),
    ])
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('the job run by two processes at once counts a refund once', async () => {
    const receiptId = await paid(10)
    await refund({ receiptId, usd: 10, txHash: await send(buyer, 'USDC', 10_000_000n) })
    world.api.clock.jumpTo(world.api.clock.now() + 2_000)
    const run = () => verifyRefundsJob(world.needs).run(new AbortController().signal)
    await Promise.all([run(), run(), run()])
    const { status, timeline } = await detail(receiptId)
    expect(status).toBe('refunded')
    expect(timeline.filter(({ kind }: { kind: string }) => kind === 'refund_marked')).toHaveLength(1)
  })
})

describe('400', () => {
  test.each([
    ['missing_receipt_id', { usd: 1 }],
    ['missing_receipt_id', { receiptId: '', usd: 1 }],
    ['missing_receipt_id', { receiptId: 7, usd: 1 }],
    ['invalid_wallet', { receiptId: 'a', wallet: '0x1', usd: 1 }],
    ['invalid_wallet', { receiptId: 'a', wallet: undefined, buyer: undefined }],
    ['invalid_buyer', { receiptId: 'a', buyer: undefined, usd: 1 }],
    ['invalid_buyer', { receiptId: 'a', buyer: 'bob', usd: 1 }],
    ['invalid_usd', { receiptId: 'a' }],
    ['invalid_usd', { receiptId: 'a', usd: 0 }],
    ['invalid_usd', { receiptId: 'a', usd: -1 }],
    ['invalid_usd', { receiptId: 'a', usd: '1' }],
    ['invalid_usd', { receiptId: 'a', usd: null }],
    ['invalid_usd', { receiptId: 'a', usd: 1.001 }],
    ['invalid_usd', { receiptId: 'a', usd: 1e300 }],
    ['invalid_input', { receiptId: 'a b', usd: 1 }],
    ['invalid_input', { receiptId: 'a', usd: 1, txHash: '0x12' }],
    ['invalid_input', { receiptId: 'a', usd: 1, txHash: '' }],
    ['invalid_input', { receiptId: 'a', usd: 1, items: [{ label: 'Cup' }] }],
    ['invalid_input', { receiptId: 'a', usd: 1, items: 'cup' }],
    ['invalid_input', { receiptId: 'a', usd: 1, excess: 'yes' }],
  ])('%s: %j', async (error, body) => {
    const answer = await refund(body)
    expect([answer.status, answer.body.error]).toEqual([400, error])
  })
})

describe('who may not', () => {
  test('an unknown receipt is 404; another merchant’s wallet is 403', async () => {
    expect((await refund({ receiptId: 'never-made', usd: 1 })).status).toBe(404)
    const answer = await refund({ receiptId: 'never-made', usd: 1, wallet: newWallet().wallet })
    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
  })

  test('a key is 403, nobody 401, other roles 403', async () => {
    const body = { receiptId: 'a', usd: 1 }
    expect((await refund(body, { key: world.merchant.key })).status).toBe(403)
    expect((await refund(body, {})).status).toBe(401)
    for (const role of ['developer', 'cashier', 'viewer'] satisfies MemberRole[]) {
      const session = await logInAs(world.api, world.merchant.wallet, role)
      expect((await refund(body, { session })).status).toBe(403)
    }
  })

  test('a login older than five minutes has to be renewed', async () => {
    world.api.clock.jumpTo(world.api.clock.now() + 301_000)
    const answer = await refund({ receiptId: 'a', usd: 1 })
    expect([answer.status, answer.body.error, answer.body.reason]).toEqual([
      403,
      'forbidden',
      'reauthentication_required',
    ])
  })
})
