import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { depositAddress } from '../../../src/payments/attempts/references.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { sendWithoutTrace, sweepData } from '../../support/chain/calls.ts'
import { type PayWay, startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startPayments)
let count = 0
const newId = () => `receipt-${++count}`
const tokens: TokenSymbol[] = ['ETH', 'USDC', 'USDT', 'cbBTC', 'cbXRP']
const ways: PayWay[] = ['call', 'transfer']

test('the deposit address is the one the factory makes', async () => {
  const attempt = await context.open(newId(), 10, 'USDC')
  const onChain = await context.chain.client.readContract({
    address: context.chain.contracts.factory,
    abi: splitFactoryAbi,
    functionName: 'depositAddress',
    args: [attempt.payTo as Hex, attempt.reference as Hex],
  })
  expect(attempt.depositAddress).toBe(onChain)
  const { factory } = context.chain.contracts
  expect(depositAddress(factory, attempt.payTo as never, attempt.reference as Hex)).toBe(onChain)
})

describe.each(tokens)('%s', (token) => {
  test.each(ways)('paid exactly by a %s, the receipt is paid with its next block', async (way) => {
    const id = newId()
    const attempt = await context.open(id, 12.34, token)
    const { hash } = await context.payAndScan(attempt, way)
    const payer = context.buyer.address
    const whole = { received: attempt.amount, missing: '0', excess: '0' }
    const paid = { status: 'paid', transactionHash: hash, state: 'paid', token, payer, ...whole }
    expect(await context.payment(id)).toMatchObject(paid)
    const messages = await context.messages(id)
    expect(messages).toHaveLength(1)
    const change = { status: 'paid', previousStatus: 'pending', paymentState: 'paid' }
    expect(messages[0]?.body).toMatchObject({ ...change, transactionHash: hash, token, buyerWallet: payer })
  })

  test('too little stays pending and says what is missing; topping up by the other way completes it', async () => {
    const id = newId()
    const attempt = await context.open(id, 20, token)
    const part = BigInt(attempt.amount) / 3n
    await context.payAndScan(attempt, 'transfer', part)
    const missing = typeable(BigInt(attempt.amount) - part, token)
    const received = part + missing
    const payment = { state: 'short', received: `${part}`, missing: `${missing}` }
    const left = { attemptId: attempt.attemptId, remaining: `${missing}` }
    expect(await context.checkout(id)).toMatchObject({ status: 'pending', payment, attempt: left })
    expect(await context.messages(id)).toEqual([])
    const again = await context.attempt(id, token)
    expect(again.attemptId).toBe(attempt.attemptId)
    await context.payAndScan(again, 'call')
    const whole = { received: `${received}`, missing: '0', excess: `${received - BigInt(attempt.amount)}` }
    expect(await context.payment(id)).toMatchObject({ status: 'paid', state: 'paid', ...whole })
    expect(await context.messages(id)).toHaveLength(1)
  })
})

function typeable(units: bigint, token: string): bigint {
  const step = token === 'ETH' ? 10n ** 12n : 1n
  return ((units + step - 1n) / step) * step
}

test('too much is paid, and the excess is told', async () => {
  const id = newId()
  const attempt = await context.open(id, 15, 'USDC')
  await context.payAndScan(attempt, 'transfer', BigInt(attempt.amount) + 2_500_000n)
  const over = { state: 'over', excess: '2500000', received: '17500000' }
  expect(await context.payment(id)).toMatchObject({ status: 'paid', ...over })
})

test('a tenth of a percent may be missing of a token that is no stablecoin, nothing of one that is', async () => {
  const [eth, usdc] = [newId(), newId()]
  const ethAttempt = await context.open(eth, 50, 'ETH')
  const usdcAttempt = await context.open(usdc, 50, 'USDC')
  await context.pay(ethAttempt, 'transfer', (BigInt(ethAttempt.amount) * 999n) / 1000n)
  await context.payAndScan(usdcAttempt, 'transfer', BigInt(usdcAttempt.amount) - 1n)
  expect(await context.status(eth)).toBe('paid')
  expect(await context.payment(usdc)).toMatchObject({ status: 'pending', state: 'short', missing: '1' })
})

test('two attempts in two tokens add up, and each amount that is named has moved', async () => {
  const id = newId()
  const first = await context.open(id, 40, 'cbBTC')
  const btc = BigInt(first.amount) / 2n
  await context.payAndScan(first, 'transfer', btc)
  const second = await context.attempt(id, 'USDT')
  expect(BigInt(second.amount)).toBeLessThanOrEqual(20_010_000n)
  await context.payAndScan(second, 'call')
  const paid = { status: 'paid', token: 'USDT', missing: '0', received: second.remaining }
  const others = [{ token: 'cbBTC', decimals: 8, received: btc.toString() }]
  expect(await context.payment(id)).toMatchObject({ ...paid, otherTokens: others })
  expect((await context.detail(id)).payment).toMatchObject({
    receivedRaw: second.remaining,
    otherTokens: [{ token: 'cbBTC', amount: Number(btc) / 1e8, amountRaw: btc.toString() }],
  })
  const status = await context.api.call('GET', `/api/receipts/status?receiptId=${id}`, {
    key: context.merchant.key,
  })
  expect(status.body).toMatchObject({ currency: 'USDT', amountRaw: second.remaining })
})

test('what comes after the receipt is paid goes to the inbox', async () => {
  const id = newId()
  const attempt = await context.open(id, 10, 'USDC')
  await context.pay(attempt, 'transfer')
  await context.mine()
  const { hash } = await context.payAndScan(attempt, 'transfer', 3_000_000n)
  expect(await context.payment(id)).toMatchObject({ status: 'paid', state: 'paid', excess: '0' })
  expect(await inbox(hash)).toMatchObject([{ reason: 'receipt-settled', amount: 3_000_000n, receipt_id: id }])
  expect(await context.messages(id)).toHaveLength(1)
})

test('another token than the one asked for goes to the inbox', async () => {
  const id = newId()
  const attempt = await context.open(id, 10, 'USDC')
  const wrong = await context.pay({ ...attempt, token: 'USDT' }, 'transfer', 10_000_000n)
  const ether = await context.open(newId(), 10, 'ETH')
  const coin = await context.send({ to: attempt.depositAddress as Hex, value: 5n })
  await context.mineAndScan()
  expect(await context.payment(id)).toMatchObject({ status: 'pending', state: 'awaiting' })
  const found = { reason: 'wrong-token', receipt_id: id }
  expect(await inbox(wrong.hash)).toMatchObject([{ ...found, amount: 10_000_000n }])
  expect(await inbox(coin.hash)).toMatchObject([{ ...found, amount: 5n }])
  expect(ether.token).toBe('ETH')
})

test('a call under a reference nobody gave out goes to the inbox', async () => {
  const attempt = await context.open(newId(), 10, 'ETH')
  const call = attempt.calls[0]
  const data = call?.data.replace(attempt.reference.slice(2), '77'.repeat(32)) as Hex
  const { hash } = await context.send({ to: attempt.payTo as Hex, data, value: 9n })
  await context.mineAndScan()
  expect(await inbox(hash)).toMatchObject([{ reason: 'unknown-reference', amount: 9n, receipt_id: null }])
})

test('coin that another contract sends is found by the balance, swept or not', async () => {
  const id = newId()
  const attempt = await context.open(id, 30, 'ETH')
  const half = BigInt(attempt.amount) / 2n
  await sendWithoutTrace(context, attempt.depositAddress, half)
  await context.mineAndScan()
  expect(await context.checkout(id)).toMatchObject({ payment: { state: 'short', received: half.toString() } })
  await sweep(attempt)
  await sendWithoutTrace(context, attempt.depositAddress, BigInt(attempt.amount) - half)
  await context.mineAndScan()
  expect(await context.payment(id)).toMatchObject({ status: 'paid', state: 'paid', received: attempt.amount })
  expect((await context.messages(id)).map(({ body }) => body.transactionHash)).toEqual([null])
})

test('a transaction that ran out of gas brings nothing', async () => {
  const id = newId()
  const attempt = await context.open(id, 30, 'ETH')
  await context.pay(attempt, 'transfer', 1000n)
  await context.mine()
  await sweep(attempt)
  await context.send({ to: attempt.depositAddress as Hex, value: BigInt(attempt.amount), gas: 21_000n })
  await context.mineAndScan()
  expect(await context.payment(id)).toMatchObject({ status: 'pending', received: '1000' })
})

test('a larger sum waits until its block is safe, a large one until it is final', async () => {
  const [middle, large] = [newId(), newId()]
  await context.pay(await context.open(middle, 500, 'USDC'), 'transfer')
  await context.payAndScan(await context.open(large, 5_000, 'USDC'), 'call')
  expect(await context.payment(middle)).toMatchObject({ status: 'pending', state: 'seen', finality: 'seen' })
  await context.mineAndScan(2)
  expect(await context.status(middle)).toBe('paid')
  expect(await context.payment(large)).toMatchObject({ status: 'pending', state: 'seen', finality: 'safe' })
  await context.mineAndScan(2)
  expect(await context.status(large)).toBe('paid')
})

test('money sent straight to the split goes to the inbox once it is final, and nothing else does', async () => {
  const attempt = await context.open(newId(), 10, 'ETH')
  const { payTo } = attempt
  await context.pay(attempt, 'call')
  const other = await context.open(newId(), 10, 'ETH')
  await context.pay(other, 'transfer')
  await context.mine()
  await sweep(other)
  const coin = await context.send({ to: payTo as Hex, value: 11n })
  const token = await context.transfer(context.tokenAddress('USDC'), payTo as Hex, 12n)
  await context.mineAndScan(5)
  await context.run(jobNames.scanDistributions)
  const text = `SELECT tx_hash, amount FROM unmatched_payment WHERE merchant = $1 AND reason = 'direct'
    ORDER BY amount`
  expect(await context.rows(text, [context.merchant.wallet])).toEqual([
    { tx_hash: coin.hash, amount: 11n },
    { tx_hash: token.hash, amount: 12n },
  ])
})

function inbox(hash: Hex) {
  const text = `SELECT reason, amount, receipt_id, state FROM unmatched_payment
    WHERE merchant = $1 AND tx_hash = $2`
  return context.rows(text, [context.merchant.wallet, hash])
}

async function sweep({ payTo, reference }: AttemptView) {
  await context.send({
    to: context.chain.contracts.factory,
    data: sweepData(payTo, reference, nativeAddress),
  })
  await context.mine()
}
