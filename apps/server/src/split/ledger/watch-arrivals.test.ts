import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  arrived,
  recipients,
  released,
  SplitContract,
  type Step,
  step,
} from '../../../test/support/chain/split-contract.ts'
import type { Recipient } from '../split.ts'
import type { Arrival, SplitEvent } from '../split-event.ts'
import { distribute, emptyLedger, evaluateArrival, type Ledger, release, unloggedBefore } from './ledger.ts'
import { mergeEvents } from './merge-events.ts'
import type { Settlement } from './watch-arrivals.ts'

const dust: fc.Arbitrary<Step> = fc.bigInt(1n, 400n).map((amount) => ({ kind: 'arrive', amount }))

test.each([
  ['never keeps a unit', false],
  ['keeps a unit where nothing would be left', true],
])('every arrival is settled as if each were judged after each event, by a contract that %s', (_, keeps) => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.oneof(step(), dust), fc.nat(9)), { maxLength: 40 }),
      fc.nat(39),
      (steps, cut) => {
        const contract = new SplitContract(keeps)
        const transactions = steps.map(([each, luck]) => {
          const run = contract.run(each)
          return each.kind === 'arrive' && luck === 0 ? [] : run
        })
        const before = mergeEvents(
          { ledger: emptyLedger, unsettled: [] },
          recipients,
          transactions.slice(0, cut).flat(),
        )
        const settled = new Map(before.settlements.map((each) => [each.arrival, each]))
        const unsettled = before.arrivals.filter((arrival) => settled.get(arrival)?.held.length !== 0)
        const rest = transactions.slice(cut).flat()
        const whole = mergeEvents({ ledger: emptyLedger, unsettled: [] }, recipients, transactions.flat())
        expect(reported(whole.settlements)).toEqual(
          settlePlainly(emptyLedger, [], transactions.flat(), whole.arrivals),
        )
        const merged = mergeEvents({ ledger: before.ledger, unsettled }, recipients, rest)
        expect(reported(merged.settlements)).toEqual(
          settlePlainly(before.ledger, unsettled, rest, merged.arrivals),
        )
      },
    ),
    { numRuns: 500 },
  )
})

test('many arrivals that a stranger keeps open cost each release nothing more', () => {
  let asked = 0
  const arrivals = 20_000
  const budget = 6 * arrivals * 50
  const many = Array.from({ length: 50 }, (_, i): Recipient => {
    const address = `0x${String(i + 1).padStart(40, '0')}` as Wallet
    return {
      address,
      get sharesBps() {
        if (++asked > budget) throw new Error('the shares were looked at far too often')
        return 200 as Bps
      },
    }
  })
  // All recipients except the last withdraw, so that no arrival is settled.
  const events: SplitEvent[] = []
  for (let i = 0; i < arrivals; i++) {
    events.push(arrived(10_000n))
    if (i % 10 !== 9) continue
    const turn = (i - 9) / 10
    const payee = many[turn % 49] as Recipient
    const rounds = BigInt(turn < 49 ? i + 1 : 490)
    events.push(released(payee.address, 200n * rounds))
  }
  const { settlements, ledger } = mergeEvents({ ledger: emptyLedger, unsettled: [] }, many, events)
  expect(settlements).toEqual([])
  expect(ledger.received).toBe(10_000n * BigInt(arrivals))
})

const reported = (settlements: readonly Settlement[]) =>
  new Map(settlements.map(({ arrival, by, held }) => [arrival.transactionHash, { by, held }]))

/** Reference implementation: re-evaluates all arrivals after each event. */
function settlePlainly(
  before: Ledger,
  unsettled: readonly Arrival[],
  events: readonly SplitEvent[],
  arrivals: readonly Arrival[],
) {
  let ledger = before
  let held = new Map<Wallet, bigint>()
  const coming = [...arrivals]
  const watched = new Set<Arrival>(unsettled)
  const settlements = new Map<Arrival, Settlement>()
  const arrive = (place: Settlement['by']) => {
    const arrival = coming.shift() as Arrival
    ledger = { ...ledger, received: arrival.receivedAfter }
    watched.add(arrival)
    settle(arrival, place)
  }
  const settle = (arrival: Arrival, by: Settlement['by']) => {
    const state = evaluateArrival(ledger, recipients, arrival)
    if (state.kind === 'open') return
    settlements.set(arrival, { arrival, by: settlements.get(arrival)?.by ?? by, held: state.held })
    if (state.held.length === 0) watched.delete(arrival)
  }
  for (const event of events) {
    const { place } = event
    if (event.kind === 'held') held.set(event.account, event.amount)
    else if (event.kind === 'arrived') arrive(place)
    else {
      if (unloggedBefore(ledger, recipients, event) > 0n) arrive(place)
      if (event.kind === 'distributed') {
        ledger = distribute(ledger, recipients, event.total, held, event.isUnitKept)
        held = new Map()
      } else {
        ledger = release(ledger, event.account, event.amount)
      }
      for (const arrival of watched) settle(arrival, place)
    }
  }
  return reported([...settlements.values()])
}
