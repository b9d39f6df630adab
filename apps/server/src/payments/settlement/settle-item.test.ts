import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import type { ReturnedLog } from '../ledger/known-log.ts'
import { mergeItems, sortIntoItems } from './settle-item.ts'

const merchant = parseWallet(`0x${'1'.repeat(40)}`) as Wallet

test('a hundred thousand payments of one receipt that came back are one item, each once, in one pass', () => {
  const returned = Array.from({ length: 100_000 }, (_, logIndex) => {
    const found = { merchant, txHash: '0x1', logIndex, address: '', block: { number: 1n }, reason: 'direct' }
    return { was: { merchant, receiptId: 'r' }, found } as unknown as ReturnedLog<never>
  })
  const items = [...mergeItems(sortIntoItems({ fresh: [], returned: [...returned, ...returned] })).values()]
  expect(items.map(({ item }) => item)).toEqual(['receipt r'])
  expect(items[0]?.settles.map(({ changes }) => changes.returned?.length)).toEqual([100_000])
})
