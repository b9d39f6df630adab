import type { Bps } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { distribute, emptyLedger, type Ledger, receive } from '../../split/ledger/ledger.ts'
import type { Split } from '../../split/split.ts'
import { type TrackedArrival, type TrackInput, trackMoney } from './track-money.ts'

const wallet = (start: string) => start.padEnd(42, '0') as Wallet
const [owner, platform, other] = [wallet('0x01'), wallet('0x02'), wallet('0x03')] as const
const [token, address] = [wallet('0xaa'), wallet('0xbb')] as const

const recipients = [
  { address: owner, sharesBps: 6_650 as Bps },
  { address: other, sharesBps: 3_300 as Bps },
  { address: platform, sharesBps: 50 as Bps },
]
const split = { address, recipients, platformRecipient: platform } as unknown as Split
const tags = { latest: 30n, safe: 20n, final: 10n }
const at = (ms: number) => ms as UnixMs

const arrival = (amount: bigint, before: bigint, more: Partial<TrackedArrival> = {}): TrackedArrival => ({
  split: address,
  token,
  amount,
  receivedAfter: before + amount,
  distributedTx: undefined,
  distributedAt: undefined,
  ...more,
})

function track(changes: Partial<TrackInput> & { ledger?: Ledger } = {}) {
  const { ledger, ...rest } = changes
  return trackMoney({
    isConfirmed: true,
    isReversed: false,
    isReconciled: false,
    money: [{ token, credited: 101n, seen: 0n, firstAt: at(1), blockNumber: 9n, creditedAt: at(2) }],
    tags,
    arrivals: [],
    split,
    splits: new Map<string, Split>([[address, split]]),
    ledgerOf: () => ledger,
    ...rest,
  })
}

const states = (tracker: ReturnType<typeof track>) => tracker.steps.map(({ state }) => state)
const partStates = (tracker: ReturnType<typeof track>) => tracker.parts.map(({ state }) => state)

test('money that was only seen is received, and nothing else is claimed of it', () => {
  const money = [{ token, credited: 0n, seen: 101n, firstAt: at(1), blockNumber: 29n, creditedAt: undefined }]
  const tracker = track({ isConfirmed: false, money })
  expect(states(tracker)).toEqual(['done', 'now', 'waiting', 'waiting'])
  expect(tracker.steps[0]?.at).toBe(1)
  expect(tracker.parts.map(({ units }) => units)).toEqual([null, null, null])
})

test('paid money is final no sooner than its newest block is', () => {
  const money = (blockNumber: bigint) => [
    { token, credited: 101n, seen: 0n, firstAt: at(1), blockNumber, creditedAt: at(2) },
  ]
  expect(states(track({ money: money(11n) }))).toEqual(['done', 'done', 'now', 'waiting'])
  expect(states(track({ money: money(10n) }))).toEqual(['done', 'done', 'done', 'now'])
})

test('every base unit of the payment is in exactly one part', () => {
  const before = 7n
  const ledger = distribute(receive(receive(emptyLedger, before), 101n), recipients, before + 101n, new Map())
  const tracker = track({ arrivals: [arrival(101n, before, { distributedTx: '0xfe' })], ledger })
  expect(partStates(tracker)).toEqual(['released', 'released', 'released'])
  const sum = tracker.parts.reduce((total, { units }) => total + (units ?? 0n), 0n)
  expect(sum).toBeGreaterThanOrEqual(101n - BigInt(recipients.length))
  expect(sum).toBeLessThanOrEqual(101n + BigInt(recipients.length))
  expect(tracker.parts[0]).toMatchObject({ transactionHash: '0xfe', sharesBps: 6_650, isPlatform: false })
  expect(tracker.parts[2]?.isPlatform).toBe(true)
})

test('a part that a distribution passed over is held, the others are out, and the money counts as passed on', () => {
  const held = new Map([[other, 33n]])
  const ledger = distribute(receive(emptyLedger, 101n), recipients, 101n, held)
  const tracker = track({ arrivals: [arrival(101n, 0n, { distributedAt: at(9) })], ledger })
  expect(partStates(tracker)).toEqual(['released', 'held', 'released'])
  expect(states(tracker)).toEqual(['done', 'done', 'done', 'done'])
  expect(tracker.steps[3]?.at).toBe(9)
})

test('what has arrived and was not distributed waits, whatever was released before it', () => {
  const earlier = distribute(receive(emptyLedger, 50_000n), recipients, 50_000n, new Map())
  const money = [{ token, credited: 10_100n, seen: 0n, firstAt: at(1), blockNumber: 9n, creditedAt: at(2) }]
  const tracker = track({ money, arrivals: [arrival(10_100n, 50_000n)], ledger: receive(earlier, 10_100n) })
  expect(partStates(tracker)).toEqual(['waiting', 'waiting', 'waiting'])
  expect(states(tracker)).toEqual(['done', 'done', 'done', 'now'])
})

test('while some of the money is missing from the split no part is said to be out', () => {
  const ledger = distribute(receive(emptyLedger, 40n), recipients, 40n, new Map())
  expect(partStates(track({ arrivals: [arrival(40n, 0n)], ledger }))).toEqual([
    'waiting',
    'waiting',
    'waiting',
  ])
})

test('of an arrival that carried other money too only the share of what was credited is told', () => {
  const ledger = distribute(receive(emptyLedger, 1_000n), recipients, 1_000n, new Map())
  const tracker = track({ arrivals: [arrival(1_000n, 0n)], ledger })
  expect(tracker.parts.map(({ units }) => units)).toEqual([67n, 33n, 0n])
})

test('a payment the network took back stops at its confirmation', () => {
  const tracker = track({ isReversed: true, money: [] })
  expect(states(tracker)).toEqual(['now', 'stopped', 'waiting', 'waiting'])
})

test('a reconciled receipt is passed on, also where no arrival says so any more', () => {
  expect(states(track({ isReconciled: true }))).toEqual(['done', 'done', 'done', 'done'])
})
