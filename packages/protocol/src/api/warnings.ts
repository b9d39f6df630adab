import { Type } from 'typebox'

/** A field of a body that was accepted and did not do what its sender may expect. */
export const fieldWarning = Type.Object({
  path: Type.String({ description: 'The path in the body, separated by `/`.' }),
  message: Type.String(),
  didYouMean: Type.Union([Type.String(), Type.Null()], {
    description: 'The field that was probably meant.',
  }),
})

/** What the answer of a write has beside its own. */
export const warned = Type.Object({
  warnings: Type.Optional(
    Type.Array(fieldWarning, {
      maxItems: 20,
      description: 'Fields of the body that were ignored or replaced something; absent if there are none.',
    }),
  ),
})
