import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import { expect } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { logInAs } from '../../support/api/sessions.ts'
import type { TestApi } from '../../support/api/start-api.ts'
import { auditChain } from '../../support/chain/audit-chain.ts'
import { startBeside } from '../../support/chain/beside.ts'
import type { PaymentContext } from '../../support/chain/payments.ts'
import type { TestDatabase } from '../../support/database/test-database.ts'

/**
 * Starts a separate service on a restored copy of the database, which lacks all later changes. Audits the
 * money at the end.
 */
export async function withRestored(
  context: PaymentContext,
  copy: TestDatabase,
  work: (restored: TestApi) => Promise<void>,
): Promise<void> {
  await context.passTime(2)
  const restored = await startBeside(context, copy)
  try {
    await work(restored)
    const { differences } = await auditChain(copy.pool, context.node)
    expect(differences).toEqual([])
  } finally {
    await restored.stop()
    await copy.drop()
  }
}

export const look = (restored: TestApi) =>
  restored.run(jobNames.scanTransfers, jobNames.scanDistributions, jobNames.scanLost, jobNames.scanTransfers)

export async function listUnmatched(context: PaymentContext, restored: TestApi): Promise<UnmatchedPayment[]> {
  const session = await logInAs(restored, context.merchant.wallet, 'owner')
  const { body } = await restored.call('GET', '/api/payments/unmatched?state=all', { session })
  return body.payments
}
