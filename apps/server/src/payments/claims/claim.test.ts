import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { type Claim, evaluateClaim, unprovenAtMost, viewClaims } from './claim.ts'
import { parseClaimWords, parseRefundAddress } from './make-claim.ts'

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as Wallet
const refundAddress = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' as Wallet
let count = 0

const claim = (changes: Partial<Claim> = {}): Claim => ({
  merchant: wallet,
  unmatchedId: 'u',
  id: `C-${++count}`,
  wallet: undefined,
  origin: 'office',
  refundAddress,
  contact: `buyer${count}@example.com`,
  note: undefined,
  madeAt: count as UnixMs,
  ...changes,
})
const strangers = () => Array.from({ length: unprovenAtMost.all }, (_, i) => claim({ origin: `place ${i}` }))

describe('a claim beside those there are', () => {
  test('of the payer is taken however many strangers have claimed, and said anew it keeps its number', () => {
    const fresh = claim({ wallet, origin: undefined })
    expect(evaluateClaim(strangers(), fresh)).toEqual({ kind: 'new' })
    const proven = claim({ wallet, origin: undefined })
    expect(evaluateClaim([...strangers(), proven], fresh)).toEqual({ kind: 'instead', id: proven.id })
  })

  test('without a proof is refused beyond five of a payment', () => {
    const claims = strangers()
    expect(evaluateClaim(claims.slice(1), claim({ origin: 'new' }))).toEqual({ kind: 'new' })
    expect(evaluateClaim(claims, claim({ origin: 'new' }))).toEqual({ kind: 'full' })
  })

  test('without a proof is refused beyond two from one address', () => {
    expect(evaluateClaim([claim()], claim())).toEqual({ kind: 'new' })
    expect(evaluateClaim([claim(), claim()], claim())).toEqual({ kind: 'full' })
  })

  test('sent twice is one, and never writes over what somebody else of the same address said', () => {
    const first = claim()
    expect(evaluateClaim([first], { ...first })).toEqual({ kind: 'known', id: first.id })
    expect(evaluateClaim([first], { ...first, refundAddress: wallet })).toEqual({ kind: 'new' })
  })
})

test('the merchant sees the proven claim first, then the oldest', () => {
  const [old, young, proven] = [claim(), claim(), claim({ wallet, origin: undefined })]
  const { claim: first, otherClaims } = viewClaims([young, old, proven])
  expect(first).toMatchObject({ id: proven.id, isProven: true, wallet })
  expect(otherClaims.map(({ id }) => id)).toEqual([old.id, young.id])
  expect(JSON.stringify([first, otherClaims])).not.toContain('office')
  expect(viewClaims([])).toEqual({ claim: null, otherClaims: [] })
})

describe('an address for a refund', () => {
  const taken = ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913']

  test('is taken in its own spelling, in small letters and in capitals', () => {
    const bare = refundAddress.slice(2)
    for (const sent of [
      refundAddress,
      `0x${bare.toLowerCase()}`,
      `0x${bare.toUpperCase()}`,
      ` ${refundAddress}\n`,
    ])
      expect(parseRefundAddress(sent, taken)).toBe(refundAddress)
  })

  test.each([
    ['', 'nothing'],
    ['vitalik.eth', 'a name'],
    [`0x${'0'.repeat(40)}`, 'nobody’s'],
    [refundAddress.replace('C44C', 'c44C'), 'mistyped'],
    [refundAddress.slice(0, -1), 'too short'],
    [taken[0] ?? '', 'a token'],
    [(taken[0] ?? '').toLowerCase(), 'a token in small letters'],
  ])('%j is refused: %s', (sent) => {
    expect(() => parseRefundAddress(sent, taken)).toThrow(/refundAddress/)
  })
})

describe('what somebody writes', () => {
  test('comes without the spaces around it, and empty is absent', () => {
    expect(parseClaimWords({ contact: ' a@b.c ', note: '\r\nTwo\r\nlines ' })).toEqual({
      contact: 'a@b.c',
      note: 'Two\nlines',
    })
    expect(parseClaimWords({ contact: ' ', note: '' })).toEqual({ contact: undefined, note: undefined })
  })

  test.each([
    { contact: 'a\nb' },
    { contact: 'a\u0000b' },
    { contact: '\u202emoc.elpmaxe@b' },
    { contact: 'a'.repeat(255) },
    { note: 'a\u001b[31m' },
    { note: 'a'.repeat(501) },
    { note: '\u2067b' },
  ])('%j is refused', (sent) => {
    expect(() => parseClaimWords(sent)).toThrow()
  })
})
