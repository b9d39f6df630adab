import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../../test/support/test-random.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Target } from '../attempts/targets.ts'
import { type Known, matchTransfer } from './match-transfer.ts'
import type { Transfer } from './transfer.ts'

const wallet = (digit: string) => parseWallet(`0x${digit.repeat(40)}`) as Wallet
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
const usdc = wallet('a')
const usdt = wallet('b')
const stranger = wallet('f')

const target: Target = {
  merchant: wallet('1'),
  attemptId: 'attempt',
  receiptId: 'receipt' as ReceiptId,
  reference: hash('2'),
  depositAddress: wallet('3'),
  splitAddress: wallet('4'),
  tokenAddress: usdc,
  expiresAt: 1_000 as UnixMs,
}

const tokens: Token[] = tokenKinds.slice(0, 2).map((kind, i) => ({ ...kind, address: i === 0 ? usdc : usdt }))
const known: Known = {
  byReference: new Map([[target.reference, target]]),
  byDeposit: new Map([[target.depositAddress, target]]),
  splitOwners: new Map([[target.splitAddress, target.merchant]]),
  tokens,
}

const money = {
  txHash: hash('5'),
  logIndex: 3,
  address: '' as const,
  tokenAddress: usdc,
  amount: 7n,
  sender: stranger,
  block: { number: 9n, hash: hash('6'), at: 500 as UnixMs },
}
const { reference, splitAddress } = target
const call: Transfer = { ...money, kind: 'call', reference, splitAddress }
const plain: Transfer = { ...money, kind: 'transfer', depositAddress: target.depositAddress }

test('a call to the split of the attempt, and a transfer to its address, are findings', () => {
  for (const transfer of [call, plain])
    expect(matchTransfer(known, transfer)).toMatchObject({ kind: 'finding', finding: { target, amount: 7n } })
})

test('who sent it is spelled from an address and from a word, and is nobody where a word is no address', () => {
  const hex = stranger.slice(2).toLowerCase()
  for (const [sender, payer] of [
    [stranger, stranger],
    [`0x${'0'.repeat(24)}${hex}`, stranger],
    [`0x${'0'.repeat(23)}1${hex}`, undefined],
    [undefined, undefined],
  ] as const)
    expect(matchTransfer(known, { ...plain, sender })).toMatchObject({ finding: { payer } })
})

test('an event that somebody else emitted under our reference is nothing', () => {
  const match = matchTransfer(known, { ...call, splitAddress: stranger })
  expect(match).toEqual({ kind: 'none', because: 'forged' })
})

test('a token that is not on the list is nothing, whoever gets it', () => {
  for (const transfer of [call, plain])
    expect(matchTransfer(known, { ...transfer, tokenAddress: stranger })).toMatchObject({
      because: 'no token of ours',
    })
})

test('another token of the list, or coin, is a stray of the receipt', () => {
  for (const tokenAddress of [usdt, nativeAddress])
    expect(matchTransfer(known, { ...plain, tokenAddress })).toMatchObject({
      kind: 'unmatched',
      unmatchedLog: { reason: 'wrong-token', merchant: target.merchant, target },
    })
})

test('a call to one of our splits under an unknown reference is its owner’s stray', () => {
  expect(matchTransfer(known, { ...call, reference: hash('9') })).toMatchObject({
    kind: 'unmatched',
    unmatchedLog: { reason: 'unknown-reference', merchant: target.merchant, target: undefined },
  })
})

test('nothing is invented: every match carries the transfer’s own key, amount and block', () => {
  const transfer = fc.record({
    kind: fc.constantFrom('call', 'transfer', 'native'),
    reference: fc.constantFrom(target.reference, hash('9')),
    splitAddress: fc.constantFrom(target.splitAddress, stranger),
    depositAddress: fc.constantFrom(target.depositAddress, stranger),
    tokenAddress: fc.constantFrom(usdc, usdt, nativeAddress, stranger),
    amount: fc.bigInt(0n, 2n ** 256n - 1n),
    logIndex: fc.integer({ min: 0, max: 1_000 }),
  })
  forAll(transfer, (random) => {
    const given = { ...money, ...random } as Transfer
    const match = matchTransfer(known, given)
    if (match.kind === 'none') return
    const found = match.kind === 'finding' ? match.finding : match.unmatchedLog
    expect(found).toMatchObject({ txHash: given.txHash, logIndex: given.logIndex, block: given.block })
    expect(found.amount).toBe(given.amount)
    if (match.kind === 'finding') expect(found.tokenAddress).toBe(match.finding.target.tokenAddress)
  })
})
