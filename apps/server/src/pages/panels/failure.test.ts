import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { describe, expect, it } from 'vitest'
import { makeView } from '../../../test/support/browser/checkout-views.ts'
import { readMessages } from '../messages/translator.ts'
import { canPayAgain, evaluatePanel, failureCodeOf } from './panel.ts'

const codes = Object.keys(failures) as FailureCode[]
const limits: readonly FailureCode[] = ['PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM', 'PORTAL_PAY_AMOUNT_BELOW_MINIMUM']
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
  it('is offered after every failure: what a provider declines is still paid from a wallet', () => {
    expect(codes.filter((code) => !canPayAgain(failed(code)))).toEqual([])
  })

  it('is named where no provider is to be asked again, and nobody is told to divide the purchase', () => {
    for (const code of codes.filter((each) => failures[each].retry === 'no' || limits.includes(each)))
      expect(textOf(code, 'next')).toMatch(/Pay from a wallet/)
    for (const code of codes) expect(textOf(code, 'next')).not.toMatch(/split|divide/)
  })

  it('is not offered where the merchant cannot be paid, took the request back, or nobody takes the amount here', () => {
    const view = failed('PORTAL_PAY_CARD_EXPIRED')
    expect(canPayAgain({ ...view, canPay: false })).toBe(false)
    expect(canPayAgain({ ...view, cancelledAt: 1 })).toBe(false)
    for (const code of limits) {
      const outside = { ...failed(code), isWithinLimits: false }
      expect(canPayAgain(outside)).toBe(false)
      expect(evaluatePanel(outside, 0 as UnixMs)).toBe('out-of-limits')
      expect(evaluatePanel(failed(code), 0 as UnixMs)).toBe('failed')
    }
  })
})
