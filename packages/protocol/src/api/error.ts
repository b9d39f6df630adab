import { Type } from 'typebox'

/** Every error answer: a code to act upon, a text for people, and what the code brings along. */
export const errorBody = Type.Object({
  error: Type.String({ description: 'The code.' }),
  message: Type.String(),
  issues: Type.Optional(
    Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: 'With invalid_input: every fault found, and where.',
    }),
  ),
  resetAt: Type.Optional(
    Type.Integer({ description: 'With rate_limited: Unix ms from when on to try again.' }),
  ),
  reason: Type.Optional(Type.String()),
  correlationId: Type.Optional(
    Type.String({ description: 'With failed: quote it when you report the fault.' }),
  ),
})
