import { type Static, Type } from 'typebox'

const category = Type.Union(
  (['card_decline', 'compliance', 'limits', 'blockchain', 'session', 'system'] as const).map((it) =>
    Type.Literal(it),
  ),
)

/** What a failure code means. */
export const failureCodeView = Type.Object({
  code: Type.String({ pattern: '^PORTAL_[A-Z0-9_]+$' }),
  category,
  reason: Type.String({ description: 'For people; may change.' }),
  action: Type.String({ description: 'What the merchant can do; for people; may change.' }),
  retry: Type.Union([Type.Literal('yes'), Type.Literal('after_action'), Type.Literal('no')], {
    description: 'Whether paying again helps: as it is, after the action, or not at all.',
  }),
  providerCodes: Type.Array(Type.String(), {
    description: 'The structured codes of payment providers that become this code.',
  }),
})

/** The answer of GET /api/failure-codes. */
export const failureCodeList = Type.Object({ failureCodes: Type.Array(failureCodeView) })

export type FailureCodeView = Static<typeof failureCodeView>
