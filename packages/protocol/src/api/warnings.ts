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
      description: 'Fields of the body that were ignored or replaced something; absent if there are none.',
    }),
  ),
})
