import { expect, test } from 'vitest'
import { type Failure, type FailureCategory, failures } from './failure-catalogue.ts'
import { describeFailure, type FailureCode, failureCodeOf } from './failures.ts'

const all = Object.entries(failures) as [FailureCode, Failure][]

/** Number of documented conditions per category. Two of them name two causes each. */
const listed: Record<FailureCategory, number> = {
  card_decline: 9,
  compliance: 9,
  limits: 3,
  blockchain: 6,
  session: 3,
  system: 3,
}

test('each condition the contract lists has an identifier of its own', () => {
  for (const [category, count] of Object.entries(listed))
    expect(all.filter(([, failure]) => failure.category === category)).toHaveLength(count)
})

test('every code is of the PORTAL family and says what happened and what to do', () => {
  for (const [code, { reason, action }] of all) {
    expect(code).toMatch(/^PORTAL_[A-Z0-9_]+$/)
    expect(reason).toMatch(/^[A-Z].+\.$/)
    expect(action).toMatch(/^[A-Z].+\.$/)
  }
})

test('the two codes the contract names have its categories', () => {
  expect(failures.PORTAL_PAY_INSUFFICIENT_FUNDS.category).toBe('card_decline')
  expect(failures.PORTAL_PAY_TRANSACTION_BLOCKED).toMatchObject({ category: 'compliance', retry: 'no' })
  expect(failureCodeOf('crypto_onramp_transaction_blocked')).toBe('PORTAL_PAY_TRANSACTION_BLOCKED')
})

test('a provider code means one failure only', () => {
  const codes = all.flatMap(([, { providerCodes }]) => providerCodes)
  expect(new Set(codes).size).toBe(codes.length)
})

const unknown = [null, '', 'something_new', 'constructor', '__proto__']

test.each(
  unknown,
)('a cause nobody knows (%s) is PORTAL_PAYMENT_FAILED of the system, with nothing made up', (providerCode) => {
  const code = failureCodeOf(providerCode)
  expect(describeFailure(code)).toMatchObject({
    failureCode: 'PORTAL_PAYMENT_FAILED',
    failureCategory: 'system',
    providerErrorCode: null,
    providerRequestId: null,
  })
})

test('what the provider said goes along as it is', () => {
  const said = { errorCode: 'expired_card', requestId: 'req_1' }
  expect(describeFailure('PORTAL_PAY_CARD_EXPIRED', said)).toMatchObject({
    failureCode: 'PORTAL_PAY_CARD_EXPIRED',
    failureCategory: 'card_decline',
    providerErrorCode: 'expired_card',
    providerRequestId: 'req_1',
  })
})
