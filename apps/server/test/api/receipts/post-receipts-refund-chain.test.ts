import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { type Hex, padHex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Chain } from '../../../src/chain/chain.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { markRefund } from '../../../src/receipts/refunds/complete-refunds.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { findBroken } from '../../support/chain/check-invariants.ts'
import { startRefunds } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const bench = perFile(startRefunds)
beforeEach(() => bench.logIn())

const refund = (body: object, options?: object) => bench.refund(body, options)
const detail = (id: string) => bench.detail(id)
const paid = (...args: Parameters<typeof bench.paid>) => bench.paid(...args)
const send = (...args: Parameters<typeof bench.sendBack>) => bench.sendBack(...args)
const verify = (ms?: number) => bench.verify(ms)

async function questions() {
  const { body } = await bench.api.call('GET', '/api/payments/questions', { key: bench.merchant.key })
  return body.receipts.map(({ receiptId, reasons }: { receiptId: string; reasons: string[] }) => ({
    receiptId,
    reasons,
  }))
}

describe('POST /api/receipts/refund with a transaction', () => {
  test.each<[TokenSymbol, bigint]>([
    ['USDC', 10_000_000n],
    ['ETH', 0n],
    ['cbBTC', 0n],
  ])('%s to the buyer counts once it is sure: tx_mined, then recipient_validated', async (token, known) => {
    const receiptId = await paid(10, token)
    const units = known || BigInt((await detail(receiptId)).payment.dueRaw)
    const txHash = await send(bench.payee, token, units, 0)
    const shouted = txHash.toUpperCase().replace('0X', '0x')
    expect((await refund({ receiptId, usd: 10, txHash: shouted })).status).toBe(200)
    await verify()
    expect((await detail(receiptId)).refunds[0]).toMatchObject({ txHash, mark: null, isCounted: false })
    await bench.mine()
    await verify()
    expect((await detail(receiptId)).refunds[0]).toMatchObject({ mark: 'tx_mined', isCounted: false })
    expect((await detail(receiptId)).status).toBe('paid')
    await bench.mine(4)
    await verify()
    const after = await detail(receiptId)
    expect(after.refunds[0]).toMatchObject({ mark: 'recipient_validated', error: null, isCounted: true })
    expect(after.status).toBe('refunded')
    const kinds = after.timeline.map(({ kind }: { kind: string }) => kind)
    expect(kinds.slice(-4)).toEqual(['refund_logged', 'refund_marked', 'refund_marked', 'status'])
  })

  test('one that a reorg removes is an open question until it is back, and counts only then', async () => {
    const receiptId = await paid(10)
    const sent = await bench.transfer(bench.tokenAddress('USDC'), bench.payee, 10_000_000n)
    await bench.mine()
    await refund({ receiptId, usd: 10, txHash: sent.hash })
    await verify()
    expect(await questions()).toEqual([])
    const before = bench.alerts().length
    await bench.chain.reorg(1)
    await verify()
    await verify()
    const error = 'the transaction is no longer on the chain'
    expect((await detail(receiptId)).refunds[0]).toMatchObject({ mark: null, error, isCounted: false })
    expect((await detail(receiptId)).status).toBe('paid')
    expect(bench.alerts().slice(before)).toEqual(['refund-missing'])
    expect(await questions()).toEqual([{ receiptId, reasons: ['refund-missing'] }])
    const reported = (await bench.messages(receiptId)).at(-1)
    expect(reported?.key).toContain(`receipt-status:${receiptId}:paid:`)
    expect(reported?.key).toContain(`:refund-missing:${sent.hash}:`)
    await bench.resend(sent)
    await bench.mine(6)
    await verify()
    expect((await detail(receiptId)).status).toBe('refunded')
    expect(await questions()).toEqual([])
  })

  test('one that returns after the money was refunded again no longer counts', async () => {
    const receiptId = await paid(10)
    const sent = await bench.transfer(bench.tokenAddress('USDC'), bench.payee, 10_000_000n)
    await bench.mine()
    await refund({ receiptId, usd: 10, txHash: sent.hash })
    await verify()
    await bench.chain.reorg(1)
    await verify()
    expect((await refund({ receiptId, usd: 10 })).status).toBe(200)
    await bench.resend(sent)
    await bench.mine(6)
    await verify()
    const { status, refunds } = await detail(receiptId)
    expect(status).toBe('refunded')
    const error = 'the transaction was missing, and other refunds have taken its place'
    expect(refunds).toMatchObject([
      { txHash: sent.hash, mark: 'tx_mismatch', error, isCounted: false },
      { txHash: null, isCounted: true },
    ])
    expect(await questions()).toEqual([])
  })

  test('of a receipt paid in two tokens, each goes back in its own', async () => {
    const receiptId = bench.newId()
    const [usdc, btc] = [await bench.open(receiptId, 10, 'USDC'), await bench.attempt(receiptId, 'cbBTC')]
    const half = BigInt(btc.remaining) / 2n + 1n
    await bench.payAndScan(btc, 'transfer', half)
    await bench.pay(usdc, 'transfer', 5_000_000n)
    await bench.mineAndScan(6)
    await bench.syncClock()
    expect((await detail(receiptId)).status).toBe('paid')
    for (const [token, units] of [
      ['cbBTC', half],
      ['USDC', 5_000_000n],
    ] as const)
      await refund({ receiptId, usd: 5, txHash: await send(bench.payee, token, units) })
    await verify()
    const { status, refunds } = await detail(receiptId)
    expect(refunds.map(({ error }: { error: unknown }) => error)).toEqual([null, null])
    expect(status).toBe('refunded')
  })

  test.each<[string, (id: string) => Promise<Hex>]>([
    ['nothing went to the buyer', () => send(newWallet().wallet, 'USDC', 10_000_000n)],
    ['too little', () => send(bench.payee, 'USDC', 9_999_999n)],
    ['another token', () => send(bench.payee, 'cbXRP', 10_000_000n)],
    ['the transaction failed', () => send(bench.payee, 'USDC', 10n ** 30n)],
  ])('a mismatch does not count and frees the cap: %s', async (error, make) => {
    const receiptId = await paid(10)
    const txHash = await make(receiptId)
    expect((await refund({ receiptId, usd: 10, txHash })).status).toBe(200)
    expect((await refund({ receiptId, usd: 10 })).body.error).toBe('invalid_usd')
    await verify()
    const after = await detail(receiptId)
    expect(after.refunds[0]).toMatchObject({ mark: 'tx_mismatch', error, isCounted: false })
    expect(after.status).toBe('paid')
    expect((await refund({ receiptId, usd: 10 })).status).toBe(200)
    expect((await detail(receiptId)).status).toBe('refunded')
  })

  test('a transaction older than the payment refunds nothing', async () => {
    const txHash = await send(bench.payee, 'USDC', 10_000_000n)
    await bench.chain.passTime(60)
    const receiptId = await paid(10)
    await refund({ receiptId, usd: 10, txHash })
    await verify()
    const error = 'the transaction was sent before the payment'
    expect((await detail(receiptId)).refunds[0]).toMatchObject({ mark: 'tx_mismatch', error })
  })

  test('one that never comes is an open question after an hour, and given up after a week', async () => {
    const receiptId = await paid(10)
    await refund({ receiptId, usd: 10, txHash: `0x${'ab'.repeat(32)}` })
    await verify()
    expect(await questions()).toEqual([])
    expect((await refund({ receiptId, usd: 10 })).body.error).toBe('invalid_usd')
    await verify(2 * 3_600_000)
    expect(await questions()).toEqual([{ receiptId, reasons: ['refund-missing'] }])
    await verify(6 * 86_400_000)
    expect((await detail(receiptId)).refunds[0].mark).toBe(null)
    await verify(2 * 86_400_000)
    expect((await detail(receiptId)).refunds[0]).toMatchObject({ mark: 'tx_mismatch' })
    expect(await questions()).toEqual([])
  })

  test('one that is missing makes room for the refund that was really sent', async () => {
    const receiptId = await paid(10)
    await refund({ receiptId, usd: 10, txHash: `0x${'ac'.repeat(32)}` })
    await verify(2 * 3_600_000)
    await bench.logIn()
    const txHash = await send(bench.payee, 'USDC', 10_000_000n)
    expect((await refund({ receiptId, usd: 10, txHash })).status).toBe(200)
    await verify()
    expect((await detail(receiptId)).status).toBe('refunded')
    expect(await questions()).toEqual([])
  })

  test('the same again changes nothing; for another amount, receipt or buyer it is a conflict', async () => {
    const [receiptId, other] = [await paid(10), await paid(10)]
    const txHash = await send(bench.payee, 'USDC', 5_000_000n)
    const body = { receiptId, usd: 5, txHash }
    const responses = await Promise.all([refund(body), refund(body), refund(body)])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await detail(receiptId)).refunds).toHaveLength(1)
    for (const change of [{ usd: 4 }, { receiptId: other }, { buyer: newWallet().wallet }]) {
      expectApiError(await refund({ ...body, ...change }), 409, 'idempotency_conflict')
    }
    const same = { usd: 1, txHash: `0x${'01'.repeat(32)}` }
    const raced = await Promise.all([receiptId, other].map((id) => refund({ receiptId: id, ...same })))
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('the job run by two processes at once counts a refund once', async () => {
    const receiptId = await paid(10)
    await refund({ receiptId, usd: 10, txHash: await send(bench.payee, 'USDC', 10_000_000n) })
    bench.api.clock.jumpTo(bench.api.clock.now() + 2_000)
    const runs = ['a', 'b', 'c'].map((holder) => bench.job(jobNames.verifyRefunds, { holder }))
    await Promise.all(runs.map(runToRest))
    const { status, timeline } = await detail(receiptId)
    expect(status).toBe('refunded')
    expect(timeline.filter(({ kind }: { kind: string }) => kind === 'refund_marked')).toHaveLength(1)
  })

  test('a process that stood still while another came to the end takes nothing of it back', async () => {
    const receiptId = await paid(500)
    const txHash = await send(bench.payee, 'USDC', 500_000_000n, 1)
    await refund({ receiptId, usd: 500, txHash })
    const { chain, db, clock, random, log } = bench.needs
    const readHead = async () => {
      const head = await chain.readHead()
      if ((await detail(receiptId)).status === 'paid') {
        await bench.mine(4)
        await bench.run(jobNames.verifyRefunds)
      }
      return head
    }
    bench.api.clock.jumpTo(bench.api.clock.now() + 2_000)
    await runToRest(bench.job(jobNames.verifyRefunds, { chain: { ...chain, readHead } }))
    const { status, refunds } = await detail(receiptId)
    expect([status, refunds[0].mark, refunds[0].isCounted]).toEqual(['refunded', 'recipient_validated', true])

    const of = { merchant: bench.merchant.wallet, id: refunds[0].id, receiptId: receiptId as ReceiptId }
    for (const mark of ['tx_mined', undefined] as const)
      await db.transaction((tx) => markRefund({ tx, clock, random, log }, of, { mark, error: undefined }))
    expect((await detail(receiptId)).refunds[0]).toMatchObject({
      mark: 'recipient_validated',
      isCounted: true,
    })
  })

  test('what a single endpoint says of its transaction is not believed', async () => {
    const receiptId = await paid(10)
    await refund({ receiptId, usd: 10, txHash: await send(newWallet().wallet, 'USDC', 10_000_000n) })
    const { chain } = bench.needs
    const findReceipt: Chain['findReceipt'] = async (hash, within) => {
      const found = await chain.findReceipt(hash, within)
      if (!found || within !== undefined) return found
      const logs = found.logs.map((log) => {
        const [topic, from] = log.topics
        return { ...log, topics: [topic, from, padHex(bench.payee).toLowerCase()] as Hex[] }
      })
      return { ...found, logs }
    }
    bench.api.clock.jumpTo(bench.api.clock.now() + 2_000)
    await runToRest(bench.job(jobNames.verifyRefunds, { chain: { ...chain, findReceipt } }))
    const error = 'nothing went to the buyer'
    expect((await detail(receiptId)).refunds[0]).toMatchObject({ mark: 'tx_mismatch', error })
  })
})

test('after all this every base unit is in exactly one place, and every status has its cause', async () => {
  const broken = await findBroken(bench.needs.db, bench.chain.rpcUrl)
  expect(broken.filter((each) => !each.startsWith('5-'))).toEqual([])
})
