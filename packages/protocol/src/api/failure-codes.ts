import { Type } from 'typebox'
import { failureCategories, type RetryAdvice } from '../failure-catalogue.ts'

export const failureCodeView = Type.Object({
  code: Type.String({ pattern: '^PORTAL_[A-Z0-9_]+$' }),
  category: Type.Enum([...failureCategories]),
  reason: Type.String({ description: 'Human-readable; may change.' }),
  action: Type.String({ description: 'Human-readable advice for the merchant; may change.' }),
  retry: Type.Enum(['yes', 'after_action', 'no'] as const satisfies readonly RetryAdvice[], {
    description: 'Whether a retry helps: immediately, after the action, or not at all.',
  }),
  providerCodes: Type.Array(Type.String(), {
    description: 'The codes of payment providers that map to this code.',
  }),
})

export const failureCodeList = Type.Object({ failureCodes: Type.Array(failureCodeView) })
