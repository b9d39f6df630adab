import { expect, test } from 'vitest'
import { readContent, type StoredFinding, writeContent } from './finding-store.ts'

const content = {
  amount: 7n,
  lateRate: 3n,
  source: '12n',
  block: { number: 9n, hash: '0x1', at: 5 },
  target: { receiptId: '42n', attemptId: '-1n' },
}

test('what is kept is read as it was, also where a text of it looks like a bigint', () => {
  expect(readContent(writeContent(content as unknown as StoredFinding['content']))).toEqual(content)
})

test('rows of earlier releases are read', () => {
  const row = '{"amount":"7n","lateRate":"3n","source":"12n","block":{"number":"9n","hash":"0x1","at":5},'
  expect(readContent(`${row}"target":{"receiptId":"42n","attemptId":"-1n"}}`)).toEqual(content)
  expect(readContent('{"blockNumber":"0n","txHash":"0x1"}')).toEqual({ blockNumber: 0n, txHash: '0x1' })
})
