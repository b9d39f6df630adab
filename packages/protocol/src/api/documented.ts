import { type TSchema, Type } from 'typebox'

/** Schema keyword with the documented form of a field. Validation ignores it. */
export const documentedKey = 'x-documented'

export type Documented = { readonly schema: TSchema; readonly isRequired: boolean }

/**
 * Declares a field that the handler validates, because its errors have their own codes. The API document
 * shows its type and whether the field is required.
 */
export function evaluatedLater(need: 'required' | 'optional', schema: TSchema) {
  const documented: Documented = { schema, isRequired: need === 'required' }
  return Type.Optional(Type.Unknown({ [documentedKey]: documented }))
}

/** Declares a query parameter: text on the wire, parsed by the handler, documented with its type. */
export function queryValue(schema: TSchema, check: { maxLength?: number; pattern?: string } = {}) {
  const documented: Documented = { schema, isRequired: false }
  return Type.Optional(Type.String({ ...check, [documentedKey]: documented }))
}

export function requiredQueryValue(schema: TSchema) {
  const documented: Documented = { schema, isRequired: true }
  return Type.Optional(Type.String({ [documentedKey]: documented }))
}

export const pageLimit = queryValue(
  Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 100,
    description: 'The maximum number of entries to return.',
  }),
)

export const pageCursor = queryValue(Type.String({ description: 'The `nextCursor` of the previous page.' }))

export const listQuery = Type.Object({ limit: pageLimit, cursor: pageCursor })

export const degradedFields = {
  degraded: Type.Optional(
    Type.Literal(true, { description: 'The datastore is unavailable; this is the last known state.' }),
  ),
  reason: Type.Optional(Type.Literal('datastore_unavailable')),
}

export const journaledResponse = Type.Object({
  ok: Type.Literal(true),
  degraded: Type.Literal(true),
  reason: Type.Literal('datastore_unavailable'),
  data: Type.Unknown({ description: 'The change that is applied once the datastore is available.' }),
})
