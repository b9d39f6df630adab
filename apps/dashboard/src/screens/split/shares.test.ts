import { getAddress } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { parsePercent, percentText, validateRows } from './shares.ts'

const spell = (address: string) => getAddress(address as `0x${string}`)
const [a, b, platform] = ['11', 'ab', 'cd'].map((each) => spell(`0x${each.repeat(20)}`)) as [
  string,
  string,
  string,
]
const fee = { bps: 50, recipient: platform }
const evaluate = (rows: [string, string][]) =>
  validateRows(
    rows.map(([address, percent]) => ({ address, percent })),
    fee,
    spell,
  )

describe('a share', () => {
  test.each([
    ['100', 10_000],
    ['12.5', 1_250],
    ['12,05', 1_205],
    [' 0.01 ', 1],
  ])('%s is %i basis points', (text, bps) => expect(parsePercent(text)).toBe(bps))

  test.each(['', '0', '0.001', '100.01', '1e2', '-1', '5 %', '0x10', '٥'])('is not "%s"', (text) =>
    expect(parsePercent(text)).toBe(undefined))

  test('reads back as it is written', () => {
    for (let bps = 1; bps <= 10_000; bps++) expect(parsePercent(percentText(bps))).toBe(bps)
  })
})

describe('rows', () => {
  test('are complete only where they come to 100.00 % with the platform', () => {
    expect(evaluate([[a, '99.50']])).toMatchObject({ isComplete: true, totalBps: 10_000 })
    for (const off of ['99.49', '99.51', '100'])
      expect(evaluate([[a, off]])).toMatchObject({ isComplete: false, problems: [] })
  })

  test('name the row that repeats an address in any case, and the row it repeats', () => {
    expect(
      evaluate([
        [a, '50'],
        [b, '25'],
        [b.toLowerCase(), '24.50'],
      ]).problems,
    ).toEqual([{ row: 2, field: 'address', problem: 'duplicate', other: 1 }])
  })

  test('name the row with a bad checksum, no address, the zero address, the platform, no share', () => {
    const swapped = b.replace('b', 'B') === b ? b.replace('B', 'b') : b.replace('b', 'B')
    const zero = `0x${'0'.repeat(40)}`
    const found = evaluate([
      [swapped, '1'],
      ['0x12', '1'],
      [zero, '1'],
      [platform, '1'],
      [a, 'x'],
    ]).problems
    expect(found.map(({ row, problem }) => [row, problem])).toEqual([
      [0, 'checksum'],
      [1, 'address'],
      [2, 'zero'],
      [3, 'platform'],
      [4, 'percent'],
    ])
  })

  test('take an address that is all in lower or all in upper case: it has no checksum', () => {
    for (const spelt of [b.toLowerCase(), `0x${b.slice(2).toUpperCase()}`])
      expect(evaluate([[spelt, '99.50']]).isComplete).toBe(true)
  })
})
