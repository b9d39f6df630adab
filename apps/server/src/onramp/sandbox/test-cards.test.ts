import { failures } from '@sluice/protocol/failure-catalogue.ts'
import { type FailureCode, failureCodeOf } from '@sluice/protocol/failures.ts'
import { failingCards, payingCard } from '@sluice/protocol/test-cards.ts'
import { describe, expect, it } from 'vitest'
import {
  errorCodeOf,
  evaluateCard,
  failureCodeOfSandbox,
  groupDigits,
  testAccounts,
  validateAccount,
} from './test-cards.ts'

const codes = Object.keys(failures) as FailureCode[]

describe('the test cards', () => {
  it('are one for each code of the catalogue, and each ends in its own code', () => {
    expect(Object.keys(failingCards)).toEqual(codes)
    for (const code of codes) expect(evaluateCard(failingCards[code])).toEqual({ kind: 'failed', code })
  })

  it('are all different, and valid card numbers, so that a form of a browser takes them', () => {
    const numbers = [payingCard, ...Object.values(failingCards)]
    expect(new Set(numbers).size).toBe(codes.length + 1)
    for (const number of numbers) expect([number, isLuhn(number)]).toEqual([number, true])
  })

  it('are known as people type them, and no other number is', () => {
    expect(evaluateCard(' 4242 4242-4242 4242 ')).toEqual({ kind: 'paid' })
    for (const other of ['', '4111111111111111', '424242424242424', 'constructor', '４２４２'])
      expect(evaluateCard(other)).toBeUndefined()
  })

  it('are written in groups of four digits', () => {
    expect(groupDigits(payingCard)).toBe('4242 4242 4242 4242')
  })
})

describe('the test accounts', () => {
  it('settle or are returned, and no other account is known', () => {
    expect(Object.keys(testAccounts).map((account) => validateAccount(account)?.kind)).toEqual([
      'settles',
      'returned',
      'returned',
    ])
    for (const other of ['', '000123456780', '__proto__', 'toString'])
      expect(validateAccount(other)).toBeUndefined()
  })
})

describe('the structured codes of the sandbox', () => {
  it('lead back to the code they came from', () => {
    for (const code of codes) expect(failureCodeOfSandbox(errorCodeOf(code))).toBe(code)
  })

  it('are those of real providers where one says exactly this', () => {
    const real = codes.filter((code) => failures[code].providerCodes.length > 0)
    expect(real.length).toBeGreaterThan(15)
    for (const code of real) expect(failureCodeOf(errorCodeOf(code))).toBe(code)
  })

  it('that nobody knows are the general failure', () => {
    for (const unknown of [null, '', 'constructor', 'sandbox_unspecified', 'lost_card'])
      expect(failureCodeOfSandbox(unknown)).toBe('PORTAL_PAYMENT_FAILED')
  })
})

function isLuhn(number: string): boolean {
  const digits = [...number].reverse().map(Number)
  const sum = digits.reduce((total, digit, i) => {
    const weighed = i % 2 === 1 ? digit * 2 : digit
    return total + (weighed > 9 ? weighed - 9 : weighed)
  }, 0)
  return sum % 10 === 0
}
