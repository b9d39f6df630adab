import { describe, expect, test } from 'vitest'
import { type ArrivedMoney, evaluateFunds, type PaidMoney } from './evaluate-funds.ts'

const paid = (more: Partial<PaidMoney> = {}): PaidMoney => ({
  isCredited: true,
  isCall: false,
  place: 'pay/1',
  source: 'ref/token',
  units: 100n,
  blockNumber: 10n,
  ...more,
})
const arrived = (more: Partial<ArrivedMoney> = {}): ArrivedMoney => ({
  isSweep: true,
  place: 'sweep/1',
  source: 'ref/token',
  units: 100n,
  settledBy: 'out',
  held: undefined,
  ...more,
})
const evaluate = (money: PaidMoney[], arrivals: ArrivedMoney[], final = 20n) => {
  const verdict = evaluateFunds(money, arrivals, final)
  return verdict.kind === 'not-yet' ? verdict.because : verdict.arrivals.map(({ place }) => place)
}

describe('the funds of a receipt are distributed', () => {
  test('when the sweep of its deposit is settled', () =>
    expect(evaluate([paid()], [arrived()])).toEqual(['sweep/1']))

  test('when its call is settled, and not by some other arrival of the same size', () => {
    const call = paid({ isCall: true })
    expect(evaluate([call], [arrived({ isSweep: false, place: 'pay/1' })])).toEqual(['pay/1'])
    expect(evaluate([call], [arrived({ isSweep: false, place: 'pay/2' }), arrived()])).toBe('not arrived')
  })

  test('with all of several payments by different ways', () => {
    const money = [paid(), paid({ isCall: true, place: 'pay/2' })]
    expect(evaluate(money, [arrived()])).toBe('not arrived')
    expect(evaluate(money, [arrived(), arrived({ isSweep: false, place: 'pay/2' })])).toHaveLength(2)
  })

  test('with the excess of a payment through too', () => {
    expect(evaluate([paid({ units: 150n })], [arrived()])).toBe('not arrived')
    expect(
      evaluate([paid({ units: 150n })], [arrived(), arrived({ units: 50n, place: 'sweep/2' })]),
    ).toHaveLength(2)
  })

  test('not by money that came to the address before and was swept before', () => {
    const money = [paid({ isCredited: false, blockNumber: 5n }), paid()]
    expect(evaluate(money, [arrived()])).toBe('not arrived')
    expect(evaluate(money, [arrived(), arrived({ place: 'sweep/2' })])).toHaveLength(2)
  })

  test('whatever came to the address later and is still on its way', () => {
    const money = [paid(), paid({ isCredited: false, blockNumber: 15n })]
    expect(evaluate(money, [arrived(), arrived({ place: 'sweep/2', settledBy: undefined })])).toEqual([
      'sweep/1',
    ])
  })
})

describe('the funds of a receipt are not distributed', () => {
  test.each<[string, PaidMoney[], ArrivedMoney[]]>([
    ['nothing credited', [paid({ isCredited: false })], [arrived()]],
    ['not final', [paid({ blockNumber: 21n })], [arrived()]],
    ['not arrived', [paid()], [arrived({ source: 'other/token' })]],
    ['not arrived', [paid()], [arrived({ units: 99n })]],
    ['not settled', [paid()], [arrived({ settledBy: undefined })]],
  ])('while they are %s', (because, money, arrivals) => expect(evaluate(money, arrivals)).toBe(because))
})

test('a hundred thousand calls, each with its arrival, are judged in one pass', () => {
  const places = Array.from({ length: 100_000 }, (_, i) => `pay/${i}`)
  const calls = places.map((place) => paid({ isCall: true, place }))
  const arrivals = places.map((place) => arrived({ isSweep: false, place }))
  expect(evaluate(calls, arrivals.toReversed())).toEqual(places)
})
