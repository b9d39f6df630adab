import {
  describeFailure,
  type FailureCode,
  type FailureFields,
  failureCodeOf,
  noFailure,
} from '@sluice/protocol/failures.ts'
import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError } from '../support/api/expect-errors.ts'
import { tooSmall } from '../support/api/merchant-api.ts'
import { paperCode, startOnrampApi } from '../support/api/onramp.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startOnrampApi)

async function failedBy(
  errorCode: string | null,
  requestId: string | null = null,
  code: FailureCode = failureCodeOf(errorCode),
): Promise<FailureFields> {
  const { id, sessionId } = await context.newCardReceipt({ webhook_url: 'https://shop.example.com/hook' })
  const failure = describeFailure(code, { errorCode, requestId })
  await context.report(sessionId, {
    kind: 'failed',
    ...(errorCode !== null && { errorCode }),
    ...(requestId !== null && { requestId }),
  })
  const response = await context.status(id)
  expect(response.status).toBe('failed')
  expect((await context.reported(id)).at(-1)).toMatchObject({ status: 'failed', ...failure })
  return response
}
async function failedByLimit(usd: number): Promise<FailureFields & { status: string }> {
  const id = await context.newReceipt({ lineItems: [{ label: 'Tea', priceUsd: usd }], totalUsd: usd })
  expectError(await context.ask(id), 400, 'invalid_amount')
  return context.status(id)
}
// biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
const catalogue = async (category: string): Promise<any[]> =>
  (await context.call('GET', '/api/failure-codes')).body.failureCodes.filter(
    (each: { category: string }) => each.category === category,
  )
const codesOf = async (category: string) => (await catalogue(category)).map(({ code }) => code)
async function areReached(category: string): Promise<string[]> {
  const codes = await codesOf(category)
  for (const code of codes) {
    const failed = await failedBy(paperCode(code), 'req_7', code)
    expect(failed).toMatchObject({ failureCode: code, failureCategory: category, providerRequestId: 'req_7' })
  }
  return codes
}

row('failure.failureCode', 'is a code that begins with PORTAL_', async () => {
  expect((await failedByLimit(0.99)).failureCode).toBe('PORTAL_PAY_AMOUNT_BELOW_MINIMUM')
  expect((await failedByLimit(10_000.01)).failureCode).toBe('PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM')
})

row('failure.failureCategory', 'is one of six categories and matches the code', async () => {
  expect((await failedByLimit(10_000.01)).failureCategory).toBe('limits')
  const { failureCodes } = (await context.call('GET', '/api/failure-codes')).body
  const six = ['card_decline', 'compliance', 'limits', 'blockchain', 'session', 'system']
  const found = failureCodes.map(({ category }: { category: string }) => category)
  expect(new Set(found)).toEqual(new Set(six))
})

row('failure.failureReason', 'explains the failure in words', async () => {
  expect((await failedByLimit(0.99)).failureReason).toBe('The amount is below the minimum payment.')
})

row('failure.failureAction', 'states the action to take', async () => {
  expect((await failedByLimit(0.99)).failureAction).toBe('Create a new receipt with a larger total.')
})

row(
  'failure.providerErrorCode',
  "is the provider's own code, or null if the server detected the failure",
  async () => {
    expect((await failedBy('expired_card')).providerErrorCode).toBe('expired_card')
    expect((await failedByLimit(0.99)).providerErrorCode).toBeNull()
  },
)

row('failure.providerRequestId', "is the provider's reference, or null", async () => {
  expect((await failedBy('expired_card', 'req_8fJ')).providerRequestId).toBe('req_8fJ')
  expect((await failedByLimit(0.99)).providerRequestId).toBeNull()
})

row('failure.null', 'all six fields are null without a failure, and after a later payment', async () => {
  expect(await context.status(await context.newReceipt())).toMatchObject(noFailure)
  const id = await context.newFailedReceipt()
  expect(await context.status(id)).toMatchObject({ status: 'failed', ...tooSmall })
  await context.takeForPaid(id)
  expect(await context.status(id)).toMatchObject({ status: 'paid', ...noFailure })
  const reported = (await context.reported(id)).at(-1)
  expect(reported).toMatchObject({ status: 'paid', previousStatus: 'failed', ...noFailure })
})

row(
  'failure-category.card_decline',
  'has a code for each of its conditions, and provider events can set each code',
  async () => {
    expect(await areReached('card_decline')).toEqual([
      'PORTAL_PAY_INSUFFICIENT_FUNDS',
      'PORTAL_PAY_ISSUER_DECLINED',
      'PORTAL_PAY_CARD_EXPIRED',
      'PORTAL_PAY_WRONG_SECURITY_CODE',
      'PORTAL_PAY_INVALID_CARD_NUMBER',
      'PORTAL_PAY_DO_NOT_HONOR',
      'PORTAL_PAY_RISK_BLOCKED',
      'PORTAL_PAY_AUTHENTICATION_FAILED',
      'PORTAL_PAY_BANK_POLICY',
    ])
    expect((await failedBy('expired_card')).failureCategory).toBe('card_decline')
  },
)

row(
  'failure-category.compliance',
  'has a code for each of its conditions, and provider events can set each code',
  async () => {
    expect(await areReached('compliance')).toEqual([
      'PORTAL_PAY_TRANSACTION_BLOCKED',
      'PORTAL_PAY_IDENTITY_LEVEL_0_REQUIRED',
      'PORTAL_PAY_IDENTITY_LEVEL_1_REQUIRED',
      'PORTAL_PAY_IDENTITY_LEVEL_2_REQUIRED',
      'PORTAL_PAY_DOCUMENT_UNREADABLE',
      'PORTAL_PAY_BIRTH_DATE_MISMATCH',
      'PORTAL_PAY_SANCTIONS_MATCH',
      'PORTAL_PAY_UNDER_AGE',
      'PORTAL_PAY_UNSUPPORTED_JURISDICTION',
    ])
  },
)

row('failure-category.limits', 'applies to payments above the maximum or below the minimum', async () => {
  expect(await codesOf('limits')).toEqual([
    'PORTAL_PAY_KYC_LIMIT_EXCEEDED',
    'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM',
    'PORTAL_PAY_AMOUNT_BELOW_MINIMUM',
  ])
  for (const [usd, failureCode] of [
    [10_000.01, 'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM'],
    [0.99, 'PORTAL_PAY_AMOUNT_BELOW_MINIMUM'],
  ] as const)
    expect(await failedByLimit(usd)).toMatchObject({
      status: 'failed',
      failureCode,
      failureCategory: 'limits',
    })
})

row(
  'failure-category.blockchain',
  'has a code for each of its conditions, and provider events can set each code',
  async () => {
    expect(await areReached('blockchain')).toEqual([
      'PORTAL_PAY_INSUFFICIENT_TOKENS',
      'PORTAL_PAY_INSUFFICIENT_GAS',
      'PORTAL_PAY_SIGNATURE_REJECTED',
      'PORTAL_PAY_SLIPPAGE_EXCEEDED',
      'PORTAL_PAY_CONTRACT_REVERTED',
      'PORTAL_PAY_WALLET_OWNERSHIP_FAILED',
    ])
  },
)

row(
  'failure-category.session',
  'has a code for each of its conditions, and provider events can set each code',
  async () => {
    expect(await areReached('session')).toEqual([
      'PORTAL_PAY_CHECKOUT_CLOSED',
      'PORTAL_PAY_SESSION_EXPIRED',
      'PORTAL_PAY_CANCELLED',
    ])
  },
)

row(
  'failure-category.system',
  'has a code for each condition and a generic code, and provider events can set each',
  async () => {
    expect(await areReached('system')).toEqual([
      'PORTAL_PAY_NETWORK_TIMEOUT',
      'PORTAL_PAY_PROCESSING_ERROR',
      'PORTAL_PAYMENT_FAILED',
    ])
  },
)

row('failure-code.PORTAL_PAY_INSUFFICIENT_FUNDS', 'is in the category card_decline', async () => {
  expect(await failedBy('insufficient_funds', 'req_1')).toMatchObject({
    failureCode: 'PORTAL_PAY_INSUFFICIENT_FUNDS',
    failureCategory: 'card_decline',
    providerErrorCode: 'insufficient_funds',
    providerRequestId: 'req_1',
  })
})

row(
  'failure-code.PORTAL_PAY_TRANSACTION_BLOCKED',
  'is in the category compliance and must not be retried',
  async () => {
    const failed = await failedBy('crypto_onramp_transaction_blocked')
    expect(failed).toMatchObject({
      failureCode: 'PORTAL_PAY_TRANSACTION_BLOCKED',
      failureCategory: 'compliance',
      providerErrorCode: 'crypto_onramp_transaction_blocked',
      providerRequestId: null,
    })
    expect(failed.failureReason).toContain('not proof of fraud or sanctions')
    const blocked = (await catalogue('compliance')).find(({ code }) => code === failed.failureCode)
    expect(blocked.retry).toBe('no')
    const { id, sessionId } = await context.newCardReceipt()
    await context.report(sessionId, { kind: 'failed', errorCode: 'crypto_onramp_transaction_blocked' })
    expectError(await context.startCard(id), 400, 'invalid_input')
  },
)

row('failure-code.unknown', 'is PORTAL_PAYMENT_FAILED, without invented details', async () => {
  const nothing = { failureCode: 'PORTAL_PAYMENT_FAILED', failureCategory: 'system', providerRequestId: null }
  for (const providerErrorCode of ['something_new', null])
    expect(await failedBy(providerErrorCode)).toMatchObject({ ...nothing, providerErrorCode })
})
