import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  arrived,
  distributed,
  held,
  recipients,
  released,
  SplitContract,
  step,
} from '../../../test/support/chain/split-contract.ts'
import { entitlement, partsOf, type Recipient } from '../split.ts'
import type { Arrival, SplitEvent } from '../split-event.ts'
import { emptyLedger, evaluateArrival, releasedTo, undistributed } from './ledger.ts'
import { mergeEvents, paysHeld } from './merge-events.ts'

const [first] = recipients as [Recipient, ...Recipient[]]

const merge = (events: readonly SplitEvent[], ledger = emptyLedger, unsettled: readonly Arrival[] = []) =>
  mergeEvents({ ledger, unsettled }, recipients, events)
const heldTwice = () => [
  ...[arrived(10_000n), held(first.address, 4_000n), distributed(10_000n)],
  ...[arrived(5_000n), held(first.address, 6_000n), distributed(15_000n)],
]
const sumHeld = (parts: readonly { units: bigint }[]) => parts.reduce((sum, { units }) => sum + units, 0n)

describe('events folded into the books', () => {
  test('a distribution settles what arrived before it and nothing that arrived after it', () => {
    const { arrivals, settlements } = merge([arrived(100n), arrived(50n), distributed(150n), arrived(7n)])
    expect(settlements.map(({ arrival }) => arrival.amount)).toEqual([100n, 50n])
    expect(arrivals.map(({ receivedAfter }) => receivedAfter)).toEqual([100n, 150n, 157n])
  })

  test('releases by hand settle an arrival with the last of them', () => {
    const amount = 10_000n
    const takes = recipients.map((each) => released(each.address, entitlement(amount, each)))
    const part = merge([arrived(amount), ...takes.slice(0, -1)])
    expect(part.settlements).toEqual([])
    const { settlements } = merge(takes.slice(-1), part.ledger, part.arrivals)
    expect(settlements).toMatchObject([{ by: takes.at(-1)?.place, held: [] }])
  })

  test('a part that could not be pushed is held, and no longer once it is released', () => {
    const before = merge([arrived(10_000n), held(first.address, 4_000n), distributed(10_000n)])
    expect(before.settlements).toMatchObject([{ held: [{ address: first.address, units: 4_000n }] }])
    const take = [released(first.address, 4_000n)]
    expect(paysHeld(before.ledger, recipients, take)).toBe(true)
    const after = merge(take, before.ledger, before.arrivals)
    expect(after.settlements).toMatchObject([{ held: [] }])
  })

  test('what is held over several distributions counts to each arrival its own part', () => {
    const { settlements } = merge(heldTwice())
    expect(settlements.map(({ held: parts }) => sumHeld(parts))).toEqual([4_000n, 2_000n])
  })

  test('a release of what is held pays the oldest arrival first', () => {
    const before = merge(heldTwice())
    const { settlements } = merge([released(first.address, 4_500n)], before.ledger, before.arrivals)
    expect(settlements.map(({ held: parts }) => sumHeld(parts))).toEqual([0n, 1_500n])
  })

  test('coin that came without a log is booked before the distribution that shows it', () => {
    const { arrivals, ledger } = merge([arrived(100n), distributed(140n)])
    expect(arrivals.map(({ amount, how }) => [amount, how])).toEqual([
      [100n, 'plain'],
      [40n, 'plain'],
    ])
    expect(ledger.received).toBe(140n)
  })

  test('coin that came without a log never has an arrival settled that nobody was paid', () => {
    const forced = merge([released(first.address, 4_000n)])
    const { ledger, arrivals } = merge([arrived(1_000n)], forced.ledger, forced.arrivals)
    expect(ledger.received).toBe(11_000n)
    const arrival = arrivals[0] as Arrival
    expect(evaluateArrival(ledger, recipients, arrival)).toEqual({ kind: 'open' })
  })
})

test('a part that is paid and held again within one range is seen to be paid', () => {
  const before = merge([arrived(10_000n), held(first.address, 4_000n), distributed(10_000n)])
  const again = [distributed(10_000n), arrived(10_000n), held(first.address, 4_000n), distributed(20_000n)]
  expect(paysHeld(before.ledger, recipients, again)).toBe(true)
})

test('a unit that a distribution keeps is held for nobody and leaves no arrival open', () => {
  const last = recipients.at(-1) as Recipient
  const kept = merge([arrived(10_000n), distributed(10_000n, true)])
  expect(kept.settlements.map((each) => each.held)).toEqual([[]])
  expect(undistributed(kept.ledger, recipients)).toBe(0n)
  expect(releasedTo(kept.ledger, last.address)).toBe(entitlement(10_000n, last) - 1n)
  expect(paysHeld(kept.ledger, recipients, [distributed(20_000n)])).toBe(false)
  // Releasing only the kept unit does not mean that money arrived without a log.
  const taken = merge([released(last.address, 1n)], kept.ledger)
  expect(taken.ledger).toMatchObject({ received: 10_000n, unitKeptFor: undefined })
  expect(releasedTo(taken.ledger, last.address)).toBe(entitlement(10_000n, last))
})

describe('the books against a contract that follows OpenZeppelin', () => {
  test.each([
    ['and never keeps a unit', false],
    ['and keeps one where nothing would be left', true],
  ])('%s: agree after any row of arrivals, distributions with failing recipients, and releases', (_, keeps) => {
    fc.assert(
      fc.property(fc.array(step(), { maxLength: 30 }), fc.nat(29), (steps, cut) => {
        const contract = new SplitContract(keeps)
        const transactions = steps.map((each) => contract.run(each))
        const events = transactions.flat()
        const whole = merge(events)
        expect(whole.ledger.received).toBe(contract.received)
        for (const { address } of recipients)
          expect(releasedTo(whole.ledger, address)).toBe(contract.released.get(address) ?? 0n)
        expect(undistributed(whole.ledger, recipients) > 0n).toBe(contract.distributable())

        // An arrival is settled if and only if each of its parts was paid or held.
        for (const arrival of whole.arrivals) {
          const state = evaluateArrival(whole.ledger, recipients, arrival)
          const settled = whole.settlements.find((each) => each.arrival === arrival)
          expect(state.kind === 'settled').toBe(settled !== undefined)
          if (state.kind === 'settled') expect(settled?.held).toEqual(state.held)
          for (const [i, part] of partsOf(arrival, recipients).entries()) {
            const recipient = recipients[i] as Recipient
            const { address } = recipient
            const out = (contract.released.get(address) ?? 0n) + contract.keptOf(address)
            const isOut = out >= entitlement(arrival.receivedAfter, recipient)
            if (state.kind === 'settled' && part.units > 0n && !isOut)
              expect(state.held.some((each) => each.address === address)).toBe(true)
          }
        }

        const one = merge(transactions.slice(0, cut).flat())
        const rest = transactions.slice(cut).flat()
        const settled = new Map(one.settlements.map((each) => [each.arrival, each]))
        const open = one.arrivals.filter((arrival) => !settled.has(arrival))
        const withHeld = one.arrivals.filter((arrival) => settled.get(arrival)?.held.length !== 0)
        const two = merge(rest, one.ledger, paysHeld(one.ledger, recipients, rest) ? withHeld : open)
        expect(two.ledger).toEqual(whole.ledger)
        const heldBy = (settlements: typeof whole.settlements) =>
          settlements.map((each) => [each.arrival.transactionHash, each.held] as const)
        const inTwo = new Map([...heldBy(one.settlements), ...heldBy(two.settlements)])
        expect(inTwo).toEqual(new Map(heldBy(whole.settlements)))
      }),
      { numRuns: 500 },
    )
  })
})
