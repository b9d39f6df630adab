import { failures } from '@sluice/protocol/failure-catalogue.ts'
import { expect, test } from 'vitest'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)

test('200: anybody gets every code with category, reason, action and advice', async () => {
  const response = await api.call('GET', '/api/failure-codes')
  expect(response.status).toBe(200)
  const { failureCodes } = response.body
  expect(failureCodes).toHaveLength(Object.keys(failures).length)
  for (const failure of failureCodes)
    expect(Object.keys(failure)).toEqual(['code', 'category', 'reason', 'action', 'retry', 'providerCodes'])
  expect(failureCodes).toContainEqual({
    code: 'PORTAL_PAY_TRANSACTION_BLOCKED',
    category: 'compliance',
    reason: expect.any(String),
    action: expect.any(String),
    retry: 'no',
    providerCodes: ['crypto_onramp_transaction_blocked'],
  })
})

test('404 for other methods', async () => {
  expect((await api.call('POST', '/api/failure-codes', { body: {} })).status).toBe(404)
})
