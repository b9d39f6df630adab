import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import type { ChainLog } from '../../chain/chain.ts'
import { decodeEvents, splitTopics } from './decode-events.ts'

const wallet = (n: number) => `0x${n.toString().padStart(40, '0')}` as Wallet
const [factory, split, usdc] = [wallet(1), wallet(2), wallet(3)] as const
const [payer, deposit] = [wallet(4), wallet(5)] as const
const reference: Hex = `0x${'ab'.repeat(32)}`
const otherTransaction: Hex = `0x${'cd'.repeat(32)}`
const erc20 = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])
const uint = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value])
const addressAnd = (address: Wallet, value: bigint) =>
  encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address, value])

let index = 0
const log = (address: Wallet, topics: readonly unknown[], data: Hex): ChainLog => ({
  address,
  topics: topics as Hex[],
  data,
  blockNumber: 7n,
  blockHash: `0x${'07'.repeat(32)}`,
  transactionHash: `0x${'ef'.repeat(32)}`,
  logIndex: index++,
})
const transfer = (from: Wallet, to: Wallet, value: bigint, token = usdc) =>
  log(token, encodeEventTopics({ abi: erc20, eventName: 'Transfer', args: { from, to } }), uint(value))
const payment = (token: Wallet, amount: bigint, at = split) => {
  const args = { receiptRef: reference, token, payer }
  return log(at, encodeEventTopics({ abi: merchantSplitAbi, eventName: 'Payment', args }), uint(amount))
}
const received = (from: Wallet, amount: bigint) => {
  const topics = encodeEventTopics({ abi: merchantSplitAbi, eventName: 'PaymentReceived' })
  return log(split, topics, addressAnd(from, amount))
}
const swept = (token: Wallet, amount: bigint, at = factory) => {
  const args = { ref: reference, split, token }
  const topics = encodeEventTopics({ abi: splitFactoryAbi, eventName: 'DepositSwept', args })
  return log(at, topics, addressAnd(deposit, amount))
}
const known = {
  factories: new Set([factory]),
  splits: new Set([split]),
  tokens: new Set([nativeAddress, usdc]),
  blockTimes: new Map([[7n, 7_000 as UnixMs]]),
}
const decode = (...logs: ChainLog[]) =>
  decodeEvents(known, logs).map(({ token, event }) =>
    event.kind === 'arrived' ? [token, event.how, event.amount, event.reference] : [token, event.kind],
  )

describe('the logs of a movement', () => {
  test('of a token paid under a reference are one arrival', () =>
    expect(decode(transfer(payer, split, 10n), payment(usdc, 10n))).toEqual([[usdc, 'call', 10n, reference]]))

  test('of a sweep are one arrival, in a token and in coin', () => {
    expect(decode(transfer(deposit, split, 10n), swept(usdc, 10n))).toEqual([[usdc, 'sweep', 10n, reference]])
    expect(decode(received(deposit, 10n), swept(nativeAddress, 10n))).toEqual([
      [nativeAddress, 'sweep', 10n, reference],
    ])
  })

  test('that nothing explains are a plain arrival, also beside one that is explained', () => {
    expect(decode(transfer(payer, split, 4n), transfer(payer, split, 10n), payment(usdc, 10n))).toEqual([
      [usdc, 'plain', 4n, undefined],
      [usdc, 'call', 10n, reference],
    ])
    expect(decode(received(payer, 3n))).toEqual([[nativeAddress, 'plain', 3n, undefined]])
  })

  test('explain only what moved in their own transaction', () => {
    const earlier = { ...transfer(payer, split, 10n), transactionHash: otherTransaction }
    expect(decode(earlier, payment(usdc, 10n))).toHaveLength(2)
  })

  test('of a token that keeps a fee count what arrived', () =>
    expect(decode(transfer(payer, split, 10n), payment(usdc, 9n))).toEqual([[usdc, 'call', 9n, reference]]))

  test('of a distribution say whether a unit was kept, which a split of release 0.1.0 never did', () => {
    const earlier = parseAbi(['event Distributed(address indexed token, uint256 totalReceived)'])
    const args = { token: usdc }
    const now = encodeAbiParameters([{ type: 'uint256' }, { type: 'bool' }], [20n, true])
    const said = [
      log(split, encodeEventTopics({ abi: earlier, args }), uint(10n)),
      log(split, encodeEventTopics({ abi: merchantSplitAbi, eventName: 'Distributed', args }), now),
    ]
    for (const { topics } of said) expect(splitTopics).toContain(topics[0])
    expect(decodeEvents(known, said).map(({ event }) => event)).toMatchObject([
      { kind: 'distributed', total: 10n, isUnitKept: false },
      { kind: 'distributed', total: 20n, isUnitKept: true },
    ])
  })

  test('that a stranger made up are left aside', () => {
    const stranger = wallet(9)
    expect(decode(payment(usdc, 10n, stranger), swept(usdc, 10n, stranger))).toEqual([])
    expect(decode(transfer(payer, stranger, 10n), payment(stranger, 10n))).toEqual([])
    expect(decode({ ...payment(usdc, 10n), data: '0x' })).toEqual([])
  })
})
