import { encodeFunctionData, erc20Abi, type Hex, multicall3Abi } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { multicall3 } from '../../../src/chain/read-amounts.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { approveData } from '../../support/chain/calls.ts'
import { startSettlement } from '../../support/chain/settlement.ts'
import { perFile } from '../../support/per-file.ts'
import { shiftLogs, signStranger } from './stranger.ts'

/**
 * A block is final two blocks later. Each reorg is deeper than that, or reverts a block that is not final.
 */
const context = perFile(startSettlement)
let count = 0
beforeEach(() => context.syncClock())

const newId = () => `inbox-${++count}`
const decide = (id: string | undefined, body: object) =>
  context.asOwner('POST', `/api/payments/unmatched/${id}`, body)
const book = () => context.run(jobNames.scanDistributions)
async function look() {
  await context.scan()
  await book()
}

async function requestFor(action: string | undefined) {
  const receiptId = newId()
  await context.newReceipt(receiptId, 10)
  return { receiptId, request: action === 'apply' ? { action, receiptId } : { action } }
}

/** Payments that match no receipt, each sent but not yet mined. */
const ways = {
  'paid twice': async () => {
    const attempt = await paid()
    return context.pay(attempt, 'transfer')
  },
  'another token': async () => {
    const { depositAddress } = await opened()
    return context.transfer(context.tokenAddress('USDT'), depositAddress as Hex, 10_000_000n)
  },
  'straight to the split': async () => {
    const { payTo } = await opened()
    return context.transfer(context.tokenAddress('USDC'), payTo as Hex, 10_000_000n)
  },
}

const opened = () => context.open(newId(), 10, 'USDC')

async function paid() {
  const attempt = await opened()
  await context.payAndScan(attempt, 'transfer')
  return attempt
}

test('nothing is refunded or kept before its block is final, as nothing is applied', async () => {
  const { hash } = await ways['paid twice']()
  await context.mine()
  await look()
  const [young] = await context.cases(hash)
  const choices = [{ action: 'refund' }, { action: 'keep' }, { action: 'apply', receiptId: young?.receiptId }]
  for (const body of choices) {
    const response = await decide(young?.id, body)
    expect([body.action, response.status, response.body.error]).toEqual([body.action, 400, 'invalid_input'])
  }
  expect(await context.cases(hash)).toMatchObject([{ id: young?.id, state: 'open', decision: null }])
  await context.mine(2)
  await look()
  expect((await decide(young?.id, { action: 'keep' })).status).toBe(200)
})

test('an open case keeps its number when its log moves within a block that was not final', async () => {
  const sent = await ways['another token']()
  await context.mine()
  await look()
  const [young] = await context.cases(sent.hash)
  await shiftLogs(context, 1, sent)
  await look()
  expect(await context.cases(sent.hash)).toMatchObject([{ id: young?.id, state: 'open' }])
})

describe.each(Object.entries(ways))('money that came %s', (_, send) => {
  const decisions = [
    { action: undefined, state: 'open' },
    { action: 'keep', state: 'kept' },
    { action: 'refund', state: 'refunded' },
    { action: 'apply', state: 'applied' },
  ]
  test.each(decisions)('and is $state stays one case, $state, under another log index', async (the) => {
    const { action, state } = the
    const sent = await send()
    await context.mine(3)
    await look()
    const [found] = await context.cases(sent.hash)
    const { receiptId, request } = await requestFor(action)
    if (action) expect((await decide(found?.id, request)).status).toBe(200)
    const messages = (await context.messages(receiptId)).length

    await shiftLogs(context, 3, sent)
    await look()
    const id = action === 'apply' ? { appliedTo: receiptId } : {}
    const same = { id: found?.id, state, amountRaw: found?.amountRaw, ...(action && { decision: id }) }
    expect(await context.cases(sent.hash)).toMatchObject([same])
    if (action !== 'apply') return
    await context.mine(3)
    await look()
    await look()
    const payment = { state: 'paid', receivedRaw: '10000000', excessRaw: '0' }
    const isPaid = { status: 'paid', transactionHash: sent.hash, payment }
    expect(await context.detail(receiptId)).toMatchObject(isPaid)
    const reported = (await context.messages(receiptId)).slice(messages)
    expect(reported.at(-1)?.body.paymentState ?? 'paid').toBe('paid')
  })
})

test.each([
  'refund',
  'apply',
])('whoever reads the new blocks first, money straight to the split stays one case: %s', async (action) => {
  const sent = await ways['straight to the split']()
  await context.mine(3)
  await look()
  const [found] = await context.cases(sent.hash)
  const { receiptId, request } = await requestFor(action)
  expect((await decide(found?.id, request)).status).toBe(200)
  await shiftLogs(context, 3, sent)
  await context.mine(3)
  await book()
  expect(await context.cases(sent.hash)).toMatchObject([{ id: found?.id }])
  await context.scan()
  await look()
  const state = action === 'apply' ? 'applied' : 'refunded'
  expect(await context.cases(sent.hash)).toMatchObject([{ id: found?.id, state }])
  if (action === 'apply')
    expect(await context.payment(receiptId)).toMatchObject({ status: 'paid', state: 'paid', excess: '0' })
})

test('a refunded case whose money is gone for a while is gone, and refunded when the money is back', async () => {
  const sent = await ways['paid twice']()
  await context.mine(3)
  await look()
  const [found] = await context.cases(sent.hash)
  await decide(found?.id, { action: 'refund' })
  await context.chain.reorg(3)
  await look()
  expect(await context.cases(sent.hash)).toEqual([])
  await context.chain.client.sendRawTransaction({ serializedTransaction: await signStranger(context) })
  await context.resend(sent)
  await context.mine()
  await look()
  expect(await context.cases(sent.hash)).toMatchObject([{ id: found?.id, state: 'refunded' }])
})

test('of two equal logs of one transaction one pays and one is refunded, before a reorg and after it', async () => {
  const attempt = await opened()
  const usdc = context.tokenAddress('USDC')
  await context.send({ to: usdc, data: approveData(multicall3) })
  const args = [context.buyer.address, attempt.depositAddress as Hex, 10_000_000n] as const
  const callData = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args })
  const call = { target: usdc, allowFailure: false, callData }
  await context.mine()
  const sent = await context.send({
    to: multicall3,
    data: encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [[call, call]] }),
  })
  await context.mine(3)
  await look()
  const [surplus, ...others] = await context.cases(sent.hash)
  expect(others).toEqual([])
  expect((await decide(surplus?.id, { action: 'refund' })).status).toBe(200)
  const places = async () => {
    const rows = await context.rows<{ state: string; log_index: bigint }>(
      'SELECT state, log_index FROM payment WHERE merchant = $1 AND tx_hash = $2 ORDER BY log_index',
      [context.merchant.wallet, sent.hash],
    )
    return rows.map((row) => [row.state, Number(row.log_index)])
  }
  const before = await places()
  expect(before.map(([state]) => state)).toEqual(['credited', 'unmatched'])
  await shiftLogs(context, 3, sent)
  await look()
  expect(await places()).toEqual(before.map(([state, index]) => [state, Number(index) + 1]))
  expect(await context.cases(sent.hash)).toMatchObject([{ id: surplus?.id, state: 'refunded' }])
})

test('after all this every base unit is in exactly one place', async () => {
  expect(await context.findMisplaced()).toEqual([])
})
