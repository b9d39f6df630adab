import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { depositAddress } from '../../../src/payments/attempts/deposit-address.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { type PaymentWorld, type PayWay, startPaymentWorld } from '../../support/worlds/payment-world.ts'

let world: PaymentWorld
let count = 0
beforeAll(async () => {
  world = await startPaymentWorld()
})
afterAll(() => world?.stop())

const newId = () => `receipt-${++count}`
const tokens: TokenSymbol[] = ['ETH', 'USDC', 'USDT', 'cbBTC', 'cbXRP']
const ways: PayWay[] = ['call', 'transfer']

test('the deposit address is the one the factory makes', async () => {
  const attempt = await newAttempt(newId(), 10, 'USDC')
  const onChain = await world.chain.client.readContract({
    address: world.chain.contracts.factory,
    abi: splitFactoryAbi,
    functionName: 'depositAddress',
    args: [attempt.payTo as Hex, attempt.reference as Hex],
  })
  expect(attempt.depositAddress).toBe(onChain)
  expect(
    depositAddress(world.chain.contracts.factory, attempt.payTo as never, attempt.reference as Hex),
  ).toBe(onChain)
})

describe.each(tokens)('%s', (token) => {
  test.each(ways)('paid exactly by a %s, the receipt is paid with its next block', async (way) => {
    const id = newId()
    const attempt = await newAttempt(id, 12.34, token)
    const { hash } = await world.pay(attempt, way)
    await world.mine()
    await world.scan()
    const checkout = await world.checkout(id)
    expect(checkout).toMatchObject({
      status: 'paid',
      transactionHash: hash,
      payment: {
        state: 'paid',
        token,
        received: attempt.amount,
        missing: '0',
        excess: '0',
        payer: world.buyer.address,
      },
    })
    const notices = await world.notices(id)
    expect(notices).toHaveLength(1)
    expect(notices[0]?.body).toMatchObject({
      status: 'paid',
      previousStatus: 'pending',
      transactionHash: hash,
      token,
      buyerWallet: world.buyer.address,
      paymentState: 'paid',
    })
  })

  test('too little stays pending and says what is missing; topping up by the other way completes it', async () => {
    const id = newId()
    const attempt = await newAttempt(id, 20, token)
    const part = BigInt(attempt.amount) / 3n
    await world.pay(attempt, 'transfer', part)
    await world.mine()
    await world.scan()
    const short = await world.checkout(id)
    const missing = typeable(BigInt(attempt.amount) - part, token)
    const received = part + missing
    expect(short).toMatchObject({
      status: 'pending',
      payment: { state: 'short', received: part.toString(), missing: missing.toString() },
      attempt: { attemptId: attempt.attemptId, remaining: missing.toString() },
    })
    expect(await world.notices(id)).toEqual([])
    const again = await world.attempt(id, token)
    expect(again.attemptId).toBe(attempt.attemptId)
    await world.pay(again, 'call')
    await world.mine()
    await world.scan()
    expect(await world.checkout(id)).toMatchObject({
      status: 'paid',
      payment: {
        state: 'paid',
        received: received.toString(),
        missing: '0',
        excess: (received - BigInt(attempt.amount)).toString(),
      },
    })
    expect(await world.notices(id)).toHaveLength(1)
  })
})

/** As a buyer is asked for it: ether has six decimals. */
function typeable(units: bigint, token: string): bigint {
  const step = token === 'ETH' ? 10n ** 12n : 1n
  return ((units + step - 1n) / step) * step
}

test('too much is paid, and the excess is told', async () => {
  const id = newId()
  const attempt = await newAttempt(id, 15, 'USDC')
  await world.pay(attempt, 'transfer', BigInt(attempt.amount) + 2_500_000n)
  await world.mine()
  await world.scan()
  expect(await world.checkout(id)).toMatchObject({
    status: 'paid',
    payment: { state: 'over', excess: '2500000', received: '17500000' },
  })
})

test('a tenth of a percent may be missing of a token that is no stablecoin, nothing of one that is', async () => {
  const [eth, usdc] = [newId(), newId()]
  const ethAttempt = await newAttempt(eth, 50, 'ETH')
  const usdcAttempt = await newAttempt(usdc, 50, 'USDC')
  await world.pay(ethAttempt, 'transfer', (BigInt(ethAttempt.amount) * 999n) / 1000n)
  await world.pay(usdcAttempt, 'transfer', BigInt(usdcAttempt.amount) - 1n)
  await world.mine()
  await world.scan()
  expect(await world.status(eth)).toBe('paid')
  expect(await world.checkout(usdc)).toMatchObject({
    status: 'pending',
    payment: { state: 'short', missing: '1' },
  })
})

test('two attempts in two tokens add up', async () => {
  const id = newId()
  const first = await newAttempt(id, 40, 'cbBTC')
  await world.pay(first, 'transfer', BigInt(first.amount) / 2n)
  await world.mine()
  await world.scan()
  const second = await world.attempt(id, 'USDT')
  expect(BigInt(second.amount)).toBeLessThanOrEqual(20_010_000n)
  await world.pay(second, 'call')
  await world.mine()
  await world.scan()
  expect(await world.checkout(id)).toMatchObject({ status: 'paid', payment: { token: 'USDT', missing: '0' } })
})

test('what comes after the receipt is paid goes to the inbox', async () => {
  const id = newId()
  const attempt = await newAttempt(id, 10, 'USDC')
  await world.pay(attempt, 'transfer')
  await world.mine()
  const { hash } = await world.pay(attempt, 'transfer', 3_000_000n)
  await world.mine()
  await world.scan()
  expect(await world.checkout(id)).toMatchObject({ status: 'paid', payment: { state: 'paid', excess: '0' } })
  expect(await inbox(hash)).toMatchObject([{ reason: 'receipt-settled', amount: 3_000_000n, receipt_id: id }])
  expect(await world.notices(id)).toHaveLength(1)
})

test('another token than the one asked for goes to the inbox', async () => {
  const id = newId()
  const attempt = await newAttempt(id, 10, 'USDC')
  const wrong = await world.pay({ ...attempt, token: 'USDT' }, 'transfer', 10_000_000n)
  const ether = await newAttempt(newId(), 10, 'ETH')
  const coin = await world.send({ to: attempt.depositAddress as Hex, value: 5n })
  await world.mine()
  await world.scan()
  expect(await world.checkout(id)).toMatchObject({ status: 'pending', payment: { state: 'awaiting' } })
  expect(await inbox(wrong.hash)).toMatchObject([
    { reason: 'wrong-token', amount: 10_000_000n, receipt_id: id },
  ])
  expect(await inbox(coin.hash)).toMatchObject([{ reason: 'wrong-token', amount: 5n, receipt_id: id }])
  expect(ether.token).toBe('ETH')
})

test('a call under a reference nobody gave out goes to the inbox', async () => {
  const attempt = await newAttempt(newId(), 10, 'ETH')
  const call = attempt.calls[0]
  const data = call?.data.replace(attempt.reference.slice(2), '77'.repeat(32)) as Hex
  const { hash } = await world.send({ to: attempt.payTo as Hex, data, value: 9n })
  await world.mine()
  await world.scan()
  expect(await inbox(hash)).toMatchObject([{ reason: 'unknown-reference', amount: 9n, receipt_id: null }])
})

test('coin that another contract sends is found by the balance, swept or not', async () => {
  const id = newId()
  const attempt = await newAttempt(id, 30, 'ETH')
  const half = BigInt(attempt.amount) / 2n
  const forwarder = await forwarderTo(attempt.depositAddress as Hex)
  await world.send({ to: forwarder, value: half })
  await world.mine()
  await world.scan()
  expect(await world.checkout(id)).toMatchObject({ payment: { state: 'short', received: half.toString() } })
  await sweep(attempt.payTo as Hex, attempt.reference as Hex)
  await world.send({ to: forwarder, value: BigInt(attempt.amount) - half })
  await world.mine()
  await world.scan()
  expect(await world.checkout(id)).toMatchObject({
    status: 'paid',
    payment: { state: 'paid', received: attempt.amount },
  })
  expect((await world.notices(id)).map(({ body }) => body.transactionHash)).toEqual([null])
})

test('a transaction that ran out of gas brings nothing', async () => {
  const id = newId()
  const attempt = await newAttempt(id, 30, 'ETH')
  await world.pay(attempt, 'transfer', 1000n)
  await world.mine()
  await sweep(attempt.payTo as Hex, attempt.reference as Hex)
  await world.send({ to: attempt.depositAddress as Hex, value: BigInt(attempt.amount), gas: 21_000n })
  await world.mine()
  await world.scan()
  expect(await world.checkout(id)).toMatchObject({ status: 'pending', payment: { received: '1000' } })
})

test('a larger sum waits until its block is safe, a large one until it is final', async () => {
  const [middle, large] = [newId(), newId()]
  await world.pay(await newAttempt(middle, 500, 'USDC'), 'transfer')
  await world.pay(await newAttempt(large, 5_000, 'USDC'), 'call')
  await world.mine()
  await world.scan()
  expect(await world.checkout(middle)).toMatchObject({
    status: 'pending',
    payment: { state: 'seen', finality: 'seen' },
  })
  await world.mine(2)
  await world.scan()
  expect(await world.status(middle)).toBe('paid')
  expect(await world.checkout(large)).toMatchObject({
    status: 'pending',
    payment: { state: 'seen', finality: 'safe' },
  })
  await world.mine(2)
  await world.scan()
  expect(await world.status(large)).toBe('paid')
})

test('money sent straight to the split goes to the inbox once it is final, and nothing else does', async () => {
  const attempt = await newAttempt(newId(), 10, 'ETH')
  const { payTo } = attempt
  await world.pay(attempt, 'call')
  const other = await newAttempt(newId(), 10, 'ETH')
  await world.pay(other, 'transfer')
  await world.mine()
  await sweep(other.payTo as Hex, other.reference as Hex)
  const coin = await world.send({ to: payTo as Hex, value: 11n })
  const token = await world.transfer(world.tokenAddress('USDC'), payTo as Hex, 12n)
  await world.mine(5)
  await world.scan()
  await world.run(jobNames.scanDistributions)
  const statement = {
    name: 'test-direct',
    text: `SELECT tx_hash, amount FROM unmatched_payment WHERE merchant = $1 AND reason = 'direct' ORDER BY amount`,
  }
  expect(await world.needs.db.rows(statement, [world.merchant.wallet])).toEqual([
    { tx_hash: coin.hash, amount: 11n },
    { tx_hash: token.hash, amount: 12n },
  ])
})

async function newAttempt(id: string, usd: number, token: TokenSymbol) {
  await world.newReceipt(id, usd)
  return world.attempt(id, token)
}

function inbox(hash: Hex) {
  const statement = {
    name: 'test-inbox',
    text: `SELECT reason, amount, receipt_id, state FROM unmatched_payment WHERE merchant = $1 AND tx_hash = $2`,
  }
  return world.needs.db.rows(statement, [world.merchant.wallet, hash])
}

async function sweep(split: Hex, reference: Hex) {
  const args = [split, reference, '0x0000000000000000000000000000000000000000'] as const
  const data = encodeFunctionData({ abi: splitFactoryAbi, functionName: 'sweep', args })
  await world.send({ to: world.chain.contracts.factory, data })
  await world.mine()
}

/** A contract that hands all coin it gets to one address: coin that arrives without a transaction of its own. */
async function forwarderTo(to: Hex): Promise<Hex> {
  const address = `0xf0${to.slice(4).toLowerCase()}` as Hex
  await world.chain.client.setCode({ address, bytecode: `0x5f5f5f5f3473${to.slice(2)}5af100` })
  return address
}
