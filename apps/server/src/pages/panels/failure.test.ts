import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { describe, expect, it } from 'vitest'
import { makeView } from '../../../test/support/browser/checkout-views.ts'
import { readMessages } from '../messages/catalogue.ts'
import { canPayAgain, failureCodeOf } from './failure.ts'

const codes = Object.keys(failures) as FailureCode[]
const texts = readMessages('en')
const textOf = (code: FailureCode, part: 'reason' | 'next') =>
  texts.get(`checkout.failure.${code}.${part}`) ?? ''
const failed = (code: string) =>
  makeView(0 as UnixMs, {
    status: 'failed',
    failure: { code, category: 'system', providerRequestId: null },
  })

describe('the words for a failure', () => {
  it.each(codes)('%s has a reason and a next step for buyers, which are not those for merchants', (code) => {
    for (const part of ['reason', 'next'] as const) expect(textOf(code, part)).toMatch(/\S.*\.$/)
    expect(textOf(code, 'next')).not.toBe(failures[code].action)
    expect(textOf(code, 'next')).not.toMatch(/\bbuyer\b/i)
  })

  it('accuse nobody and hint at no list', () => {
    for (const code of codes) {
      const said = `${textOf(code, 'reason')} ${textOf(code, 'next')}`
      expect(said).not.toMatch(/sanction|fraud|crim|launder|terror|suspic|risk|compliance|\blist\b/i)
    }
    for (const part of ['reason', 'next'] as const)
      expect(textOf('PORTAL_PAY_SANCTIONS_MATCH', part)).toBe(textOf('PORTAL_PAY_TRANSACTION_BLOCKED', part))
  })

  it('of a code that nobody knows are those of a failure without a known reason', () => {
    for (const code of ['tx_weird', 'toString', ''])
      expect(failureCodeOf(failed(code))).toBe('PORTAL_PAYMENT_FAILED')
    expect(failureCodeOf(makeView(0 as UnixMs, { status: 'failed' }))).toBe('PORTAL_PAYMENT_FAILED')
  })
})

describe('another way to pay', () => {
  it('is offered where a retry helps and the limit is not our own, or where a wallet is what helps', () => {
    const offered = codes.filter((code) => canPayAgain(failed(code)))
    const refused = codes.filter((code) => !offered.includes(code))
    expect(refused.sort()).toEqual([
      'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM',
      'PORTAL_PAY_AMOUNT_BELOW_MINIMUM',
      'PORTAL_PAY_SANCTIONS_MATCH',
      'PORTAL_PAY_TRANSACTION_BLOCKED',
      'PORTAL_PAY_UNDER_AGE',
    ])
  })

  it('is a wallet, and no card, where no provider is to be asked again', () => {
    for (const code of ['PORTAL_PAY_RISK_BLOCKED', 'PORTAL_PAY_UNSUPPORTED_JURISDICTION'] as const) {
      expect(failures[code].retry).toBe('no')
      expect(failures[code].action).toMatch(/in another way|from a wallet/)
      expect(textOf(code, 'next')).toMatch(/Pay from a wallet/)
    }
  })

  it('is not offered where the merchant cannot be paid, or took the request back', () => {
    const view = failed('PORTAL_PAY_CARD_EXPIRED')
    expect(canPayAgain({ ...view, canPay: false })).toBe(false)
    expect(canPayAgain({ ...view, cancelledAt: 1 })).toBe(false)
  })
})
