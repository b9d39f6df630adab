import { Type } from 'typebox'

export const fieldWarning = Type.Object({
  path: Type.String({ description: 'The path in the body, separated by `/`.' }),
  message: Type.String(),
  didYouMean: Type.Union([Type.String(), Type.Null()], {
    description: 'The field that was probably meant.',
  }),
})

export const warned = Type.Object({
  warnings: Type.Optional(
    Type.Array(fieldWarning, {
      maxItems: 20,
      description: 'Body fields that were ignored or that overrode another field; absent if there are none.',
    }),
  ),
})
