import type { Bps } from '@sluice/protocol/money.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../kernel/api-error.ts'
import { decideRecipients, type RecipientInput } from './configure-split.ts'

const wallet = (n: number) => `0x${n.toString().padStart(40, '0')}` as Wallet
const merchant = wallet(1)
const platform = { feeBps: 50 as Bps, recipient: wallet(99) }
const row = (n: number, sharesBps: number): RecipientInput => ({ address: wallet(n), sharesBps })
const decide = (input?: RecipientInput[], fee: { feeBps: Bps; recipient: Wallet | undefined } = platform) =>
  decideRecipients(merchant, fee, input)
const codeOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error instanceof ApiError ? error.code : error
  }
  return 'nothing refused'
}

describe('the recipients of a split', () => {
  test('none named: the merchant takes what the fee leaves', () =>
    expect(decide()).toEqual([row(1, 9_950), row(99, 50)]))

  test('named without the platform: its row is appended', () =>
    expect(decide([row(2, 5_000), row(3, 4_950)])).toEqual([row(2, 5_000), row(3, 4_950), row(99, 50)]))

  test('named with the platform at exactly the fee: they stay as they are', () =>
    expect(decide([row(99, 50), row(2, 9_950)])).toEqual([row(99, 50), row(2, 9_950)]))

  test('without a fee there is no platform row and no need of a platform wallet', () => {
    const free = { feeBps: 0 as Bps, recipient: undefined }
    expect(decide(undefined, free)).toEqual([row(1, 10_000)])
    expect(decide([row(2, 10_000)], free)).toEqual([row(2, 10_000)])
  })

  test('a fee without a wallet to take it is refused, whatever was named', () => {
    const broken = { feeBps: 50 as Bps, recipient: undefined }
    expect(codeOf(() => decide(undefined, broken))).toBe('platform_recipient_not_configured')
    expect(codeOf(() => decide([row(2, 9_950)], broken))).toBe('platform_recipient_not_configured')
  })

  test('the platform as its own merchant takes all in one row', () =>
    expect(decideRecipients(wallet(99), platform, undefined)).toEqual([row(99, 10_000)]))

  test.each<[string, RecipientInput[]]>([
    ['no row', []],
    ['51 rows', Array.from({ length: 51 }, (_, i) => row(i + 100, 195))],
    ['shares that leave something', [row(2, 9_949)]],
    ['shares above the whole', [row(2, 9_951)]],
    ['the platform at another share', [row(99, 60), row(2, 9_940)]],
    ['the platform besides the whole', [row(99, 50), row(2, 9_900)]],
    ['a wallet twice', [row(2, 5_000), row(2, 4_950)]],
    ['a share of nothing', [row(2, 9_950), row(3, 0)]],
    ['a share in fractions', [row(2, 9_949.5), row(3, 0.5)]],
    ['what is no wallet', [{ address: 'you', sharesBps: 9_950 }]],
    ['the zero address', [{ address: nativeAddress, sharesBps: 9_950 }]],
  ])('%s is refused', (_, input) => expect(codeOf(() => decide(input))).toBe('invalid_input'))

  test('50 rows are taken, with the platform as the fifty-first', () =>
    expect(decide(Array.from({ length: 50 }, (_, i) => row(i + 100, 199)))).toHaveLength(51))
})
