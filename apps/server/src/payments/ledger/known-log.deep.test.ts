import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOnCluster } from '../../../test/support/database/on-cluster.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { wrapDatabase } from '../../../test/support/database/wrap-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { forAll } from '../../../test/support/test-random.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Statement } from '../../platform/database/statement.ts'
import { type FoundLog, type KnownLog, recogniseLogs } from './known-log.ts'
import { listKnownLogs } from './known-log-store.ts'

const database = perFile(makeTestDatabase)

const wallet = (digit: string) => parseWallet(`0x${digit.repeat(40)}`) as Wallet
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
const blockOf = (digit: string) => ({ number: 9n, hash: hash(digit), at: 500 as UnixMs })
const [before, after] = [blockOf('a'), blockOf('b')]

const fields = ['txHash', 'kind', 'source', 'tokenAddress', 'amount', 'payer'] as const
type Says = Pick<FoundLog, (typeof fields)[number]>

const says = fc.record({
  txHash: fc.constantFrom(hash('1'), hash('2')),
  kind: fc.constantFrom('call' as const, 'transfer' as const),
  source: fc.constantFrom('x', 'y'),
  tokenAddress: fc.constantFrom(wallet('3'), wallet('4')),
  amount: fc.bigInt(1n, 2n),
  payer: fc.constantFrom(wallet('5'), undefined),
})
const logs = fc
  .array(fc.tuple(says, fc.integer({ min: 1, max: 3 })), { maxLength: 12 })
  .map((list) => list.sort(([a], [b]) => (a.txHash < b.txHash ? -1 : a.txHash > b.txHash ? 1 : 0)))
  .map((list) => {
    let index = 0
    return list.map(([said, gap]) => {
      index += gap
      return { said, logIndex: index }
    })
  })
const shift = fc.integer({ min: 0, max: 20 })

function found(said: Says, logIndex: number): FoundLog {
  return { ...said, logIndex, address: '', merchant: wallet('6'), block: after }
}

function known(said: Says, logIndex: number, more: Partial<KnownLog> = {}): KnownLog {
  const place = { logIndex, address: before.hash, merchant: wallet('6'), block: before }
  return {
    ...said,
    ...place,
    receiptId: 'r' as ReceiptId,
    isLost: true,
    isReversed: false,
    isDecided: false,
    ...more,
  }
}

const shuffled = <T>(list: T[]) =>
  fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })

describe('logs of transactions that ran again', () => {
  const runs = fc
    .tuple(logs, shift)
    .chain(([list, by]) =>
      fc.tuple(
        fc.constant(list),
        fc.constant(by),
        shuffled(list.map(({ said, logIndex }) => known(said, logIndex))),
        shuffled(list.map(({ said, logIndex }) => found(said, logIndex + by))),
      ),
    )

  test('are the same ones, each at its own place among its equals, in whatever order they are named', () => {
    forAll(runs, ([list, by, was, now]) => {
      const { fresh, returned, stale } = recogniseLogs(was, now)
      expect([fresh, stale]).toEqual([[], []])
      const pairs = returned.map((pair) => [pair.was.logIndex, pair.found.logIndex])
      expect(pairs.sort(([a = 0], [b = 0]) => a - b)).toEqual(
        list.map(({ logIndex }) => [logIndex, logIndex + by]),
      )
    })
  })

  test('are the same where the books still call them standing, and are then said to be stale', () => {
    forAll(runs, ([list, by, was, now]) => {
      const standing = was.map((log) => ({ ...log, isLost: false, address: '' as const }))
      const { fresh, returned, stale } = recogniseLogs(standing, now)
      expect(fresh).toEqual([])
      expect(stale).toHaveLength(list.length)
      for (const pair of returned) expect(pair.found.logIndex).toBe(pair.was.logIndex + by)
      expect(returned).toHaveLength(list.length)
    })
  })

  test('are never taken for others: what says something else is new, and nothing is known twice', () => {
    forAll(logs, logs, (was, now) => {
      const rows = was.map(({ said, logIndex }) => known(said, logIndex))
      const read = now.map(({ said, logIndex }) => found(said, logIndex))
      const { fresh, returned } = recogniseLogs(rows, read)
      expect(fresh.length + returned.length).toBe(now.length)
      expect(new Set(returned.map((pair) => pair.was)).size).toBe(returned.length)
      for (const pair of returned) for (const field of fields) expect(pair.found[field]).toBe(pair.was[field])
      const content = (said: Partial<Says>) => fields.map((field) => String(said[field])).join()
      for (const log of fresh) {
        const rest = was.filter(({ said }) => content(said) === content(log)).length
        const used = returned.filter((pair) => content(pair.found) === content(log)).length
        expect(used).toBe(rest)
      }
    })
  })
})

describe('a log that stands', () => {
  const said: Says = {
    txHash: hash('1'),
    kind: 'transfer',
    source: 'x',
    tokenAddress: wallet('3'),
    amount: 7n,
    payer: undefined,
  }

  test('is known wherever its money went, and read twice is known once', () => {
    const row = known(said, 4, { isLost: false, address: '', block: after })
    const nothing = { fresh: [], returned: [], stale: [] }
    expect(recogniseLogs([row], [found(said, 4), found(said, 4)])).toEqual(nothing)
    expect(recogniseLogs([], [found(said, 4), found(said, 4)]).fresh).toHaveLength(1)
  })

  test('beside an equal one is not taken for it', () => {
    const row = known(said, 4, { isLost: false, address: '', block: after })
    expect(recogniseLogs([row], [found(said, 4), found(said, 5)]).fresh).toEqual([found(said, 5)])
  })

  test('in rows of before, which say less, is known by what they say', () => {
    const row = known(said, 4, { kind: undefined, source: undefined })
    expect(recogniseLogs([row], [found(said, 6)]).returned).toHaveLength(1)
    expect(recogniseLogs([row], [found({ ...said, amount: 8n }, 6)]).fresh).toHaveLength(1)
  })
})

test('coin without a transaction of its own is known by its address and amount, in whatever block', () => {
  const coin = (block: typeof before, amount = 7n) => ({
    txHash: block.hash,
    logIndex: -1,
    address: wallet('7') as Hex,
    merchant: wallet('6'),
    kind: 'native' as const,
    source: wallet('7') as string,
    tokenAddress: wallet('0'),
    amount,
    payer: undefined,
    block,
  })
  const row: KnownLog = {
    ...coin(before),
    receiptId: undefined,
    isLost: true,
    isReversed: false,
    isDecided: true,
  }
  expect(recogniseLogs([row], [coin(after)]).returned).toHaveLength(1)
  expect(recogniseLogs([row], [coin(after, 8n)]).fresh).toHaveLength(1)
})

test('two hundred thousand tiny payments that say the same are told apart in one pass', () => {
  const said: Says = {
    txHash: hash('1'),
    kind: 'transfer',
    source: 'x',
    tokenAddress: wallet('3'),
    amount: 1n,
    payer: undefined,
  }
  const count = 200_000
  const was = Array.from({ length: count }, (_, i) => known(said, i))
  const now = Array.from({ length: count }, (_, i) => found(said, i + 7))
  const { fresh, returned } = recogniseLogs(was, now)
  expect(fresh).toEqual([])
  expect(returned.filter((pair) => pair.found.logIndex - pair.was.logIndex === 7)).toHaveLength(count)
})

test.skipIf(isOnCluster)(
  'what is known of thousands of transactions is found by their hashes, before anything is known of the tables too',
  async () => {
    const sent: Statement[] = []
    const db = wrapDatabase(database.pool, (statement, run) => {
      sent.push(statement)
      return run()
    })
    await listKnownLogs(db, 31337, wallet('9'), ['0x1'], ['0x2'])
    expect(sent).toHaveLength(4)
    for (const { name, text } of sent) {
      const rows = await database.pool.rows<Record<'QUERY PLAN', string>>({
        name: '',
        text: `EXPLAIN (GENERIC_PLAN) ${text}`,
      })
      const entered = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Index Cond'))
      expect(entered, name).toHaveLength(1)
      for (const line of entered) expect(line).toMatch(/tx_hash = ANY|address = ANY/)
    }
  },
)
