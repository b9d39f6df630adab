import type { UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../../test/support/test-random.ts'
import type { Block, Hex } from '../../chain/chain.ts'
import { findNamedDeposits } from './find-named-deposits.ts'

const deposit = `0x${'aB'.repeat(20)}` as Wallet
const token = `0x${'cd'.repeat(20)}` as Wallet
const hash = `0x${'1'.repeat(64)}` as Hex
const blockOf = (...inputs: { input: string; to?: Wallet }[]): Block => ({
  number: 1n,
  hash,
  parentHash: hash,
  at: 0 as UnixMs,
  baseFee: 1n,
  transactions: inputs.map(({ input, to }) => ({ hash, from: nativeAddress, to, value: 0n, input })),
})
const find = (block: Block) => [...findNamedDeposits([block], new Set([deposit]), new Set([token]))]
const bytes = fc.uint8Array({ maxLength: 80 }).map((each) => Buffer.from(each).toString('hex'))

test('an address is found wherever it stands among the bytes, and in capitals', () => {
  forAll(bytes, bytes, fc.boolean(), (before, after, isUpper) => {
    const middle = deposit.slice(2)
    const input = `0x${before}${isUpper ? middle.toUpperCase() : middle}${after}`
    expect(find(blockOf({ input }))).toEqual([deposit])
  })
})

test("what is no whole address, no hex at all, or a listed token's own call names nobody", () => {
  const cut = `0x${deposit.slice(3)}`
  expect(find(blockOf({ input: cut }, { input: '0x' }, { input: `0xzz${'0'.repeat(60)}` }))).toEqual([])
  expect(find(blockOf({ input: deposit, to: token }))).toEqual([])
})
