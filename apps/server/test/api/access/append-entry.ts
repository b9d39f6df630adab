import type { Wallet } from '@sluice/protocol/wallet.ts'
import { appendAudit } from '../../../src/access/audit/append-audit.ts'
import type { TestApi } from '../../support/api/start-api.ts'

export function appendEntry(
  { needs, clock }: Pick<TestApi, 'needs' | 'clock'>,
  merchant: Wallet,
  subject: number,
  details: Readonly<Record<string, unknown>> = {},
) {
  const entry = { actor: 'system', action: 'test.done', subject: String(subject), details } as const
  return needs.db.transaction((tx) => appendAudit({ ...needs, tx }, { merchant, at: clock.now(), ...entry }))
}
