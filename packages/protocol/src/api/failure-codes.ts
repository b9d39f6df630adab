import { Type } from 'typebox'
import { failureCategories, type RetryAdvice } from '../failure-catalogue.ts'

/** What a failure code means. */
export const failureCodeView = Type.Object({
  code: Type.String({ pattern: '^PORTAL_[A-Z0-9_]+$' }),
  category: Type.Enum([...failureCategories]),
  reason: Type.String({ description: 'For people; may change.' }),
  action: Type.String({ description: 'What the merchant can do; for people; may change.' }),
  retry: Type.Enum(['yes', 'after_action', 'no'] as const satisfies readonly RetryAdvice[], {
    description: 'Whether paying again helps: as it is, after the action, or not at all.',
  }),
  providerCodes: Type.Array(Type.String(), {
    description: 'The structured codes of payment providers that become this code.',
  }),
})

/** The answer of GET /api/failure-codes. */
export const failureCodeList = Type.Object({ failureCodes: Type.Array(failureCodeView) })
