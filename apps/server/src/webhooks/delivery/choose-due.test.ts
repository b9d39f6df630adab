import type { UnixMs } from '@sluice/protocol/time.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../../test/support/test-random.ts'
import type { DueDelivery } from '../queued-delivery.ts'
import { chooseDue, Load, sendLimits } from './choose-due.ts'

function due(merchant: string, host: string, place: number, nextAt = 0): DueDelivery {
  return { merchant, id: `${merchant}/${host}/${place}`, host, cycle: 0, place, nextAt: nextAt as UnixMs }
}

test('a merchant and a receiver get at most four at a time', () => {
  const own = Array.from({ length: 9 }, (_, i) => due('a', `host-${i}`, i + 1))
  expect(chooseDue(own, new Load())).toHaveLength(4)
  const shared = Array.from({ length: 9 }, (_, i) => due(`m-${i}`, 'host', 1))
  expect(chooseDue(shared, new Load())).toHaveLength(4)
})

test('a queue of one does not go before the first of another, however old it is', () => {
  const queue = [1, 2, 3, 4].map((place) => due('old', 'host', place, place))
  const chosen = chooseDue([...queue, due('new', 'host', 1, 99), due('newer', 'host', 1, 100)], new Load())
  expect(chosen.map(({ merchant }) => merchant)).toEqual(['old', 'new', 'newer', 'old'])
})

test('merchants that queue at one receiver take turns', () => {
  const load = new Load()
  for (let i = 0; i < sendLimits.perHost - 1; i++) load.add({ merchant: `slow-${i}`, host: 'host' })
  const merchants = ['a', 'b', 'c', 'd', 'e', 'f']
  const turns = Array.from({ length: 12 }, () => {
    const queues = merchants.map((merchant, age) => due(merchant, 'host', 1, age))
    const chosen = chooseDue(queues, load)
    for (const message of chosen) load.remove(message)
    return chosen.map(({ merchant }) => merchant).join()
  })
  expect(turns).toEqual([...merchants, ...merchants])
})

test('when many are under way, one each, so that slow receivers leave room', () => {
  const load = new Load()
  const many = Array.from({ length: sendLimits.crowdedAt }, (_, i) => due(`m-${i}`, `h-${i}`, 1))
  expect(chooseDue(many, load)).toHaveLength(sendLimits.crowdedAt)
  const more = [1, 2, 3].map((place) => due('late', `late-${place}`, place))
  expect(chooseDue(more, load)).toHaveLength(1)
  expect(load.full().merchants).toContain('m-0')
})

test('where only so many are wanted, those whose turn it is are chosen, and no other counts as under way', () => {
  const load = new Load()
  const queue = [1, 2, 3].map((place) => due('old', 'host', place, place))
  const chosen = chooseDue([...queue, due('new', 'other', 1, 99)], load, 2)
  expect(chosen.map(({ merchant }) => merchant)).toEqual(['old', 'new'])
  expect(load.total).toBe(2)
})

test('whatever comes and goes, no limit is passed, and what is full is said to be full', () => {
  const message = fc.record({
    merchant: fc.integer({ min: 0, max: 5 }),
    host: fc.integer({ min: 0, max: 3 }),
  })
  forAll(fc.array(fc.array(message, { maxLength: 12 }), { maxLength: 20 }), (rounds) => {
    const load = new Load()
    let underWay: DueDelivery[] = []
    for (const [i, round] of rounds.entries()) {
      const asked = round.map(({ merchant, host }, j) => due(`m${merchant}`, `h${host}`, 1 + (j % 4)))
      underWay = [...underWay, ...chooseDue(asked, load)]
      const counts = (of: (one: DueDelivery) => string) =>
        [...Map.groupBy(underWay, of)].map(([key, group]) => [key, group.length] as const)
      for (const [key, count] of counts((one) => one.merchant)) {
        expect(count).toBeLessThanOrEqual(sendLimits.perMerchant)
        expect(load.full().merchants.includes(key)).toBe(count === sendLimits.perMerchant)
      }
      for (const [key, count] of counts((one) => one.host)) {
        expect(count).toBeLessThanOrEqual(sendLimits.perHost)
        expect(load.full().hosts.includes(key)).toBe(count === sendLimits.perHost)
      }
      expect(load.total).toBe(underWay.length)
      if (i % 2 === 1) for (const ended of underWay.splice(0, 3)) load.remove(ended)
    }
  })
})
