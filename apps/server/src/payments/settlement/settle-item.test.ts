import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import type { ReturnedLog } from '../ledger/known-log.ts'
import type { UnmatchedLog } from '../ledger/match-transfer.ts'
import { addKept, mergeItems, sortIntoItems } from './settle-item.ts'

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

test('money without a receipt that is named twice is one item, and in it once', () => {
  const log = {
    ...{ merchant, txHash: '0x1', logIndex: 0, address: '' },
    ...{ block: { number: 1n }, reason: 'direct' },
  } as unknown as UnmatchedLog
  const [item] = mergeItems(sortIntoItems({ fresh: [log, { ...log }], returned: [] })).values()
  expect(item?.unmatchedLogs).toEqual([log])
})

test('a case that comes again while it is set aside is moved once', () => {
  const [was, found] = [
    { merchant, txHash: '0x1', logIndex: 0, address: '0x2' },
    { merchant, txHash: '0x1', logIndex: 3, address: '', block: { number: 2n }, reason: 'direct' },
  ]
  const returned = [{ was, found } as unknown as ReturnedLog<UnmatchedLog>]
  const [item] = sortIntoItems({ fresh: [], returned })
  if (!item) throw new Error('there is an item')
  expect(addKept(item, sortIntoItems({ fresh: [], returned }), []).cases).toEqual(returned)
})
