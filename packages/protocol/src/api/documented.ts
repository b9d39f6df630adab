import { type TSchema, Type } from 'typebox'

/** The keyword of a schema under which the API's document finds what to say in its place. Checks ignore it. */
export const documentedKey = 'x-documented'

/** What the API's document says of a field that its schema leaves to the handler. */
export type Documented = { readonly schema: TSchema; readonly isRequired: boolean }

/**
 * A field of a body whose faults have error codes of their own, so that the handler judges it and not the
 * schema. The document, and every client made from it, still gets its type and whether it is required.
 */
export function judgedLater(need: 'required' | 'optional', schema: TSchema) {
  const documented: Documented = { schema, isRequired: need === 'required' }
  return Type.Optional(Type.Unknown({ [documentedKey]: documented }))
}

/** A query value: text on the wire, parsed by the handler, and in the document of the type that it stands for. */
export function queryValue(schema: TSchema, check: { maxLength?: number; pattern?: string } = {}) {
  const documented: Documented = { schema, isRequired: false }
  return Type.Optional(Type.String({ ...check, [documentedKey]: documented }))
}

/** As {@link queryValue}, for a parameter whose absence has an error code of its own. */
export function requiredQueryValue(schema: TSchema) {
  const documented: Documented = { schema, isRequired: true }
  return Type.Optional(Type.String({ [documentedKey]: documented }))
}

/** How many entries a page of a list holds (contract: Limits). */
export const pageLimit = queryValue(
  Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 100,
    description: 'The maximum number of entries to return.',
  }),
)

/** Where a list goes on. */
export const pageCursor = queryValue(Type.String({ description: 'The `nextCursor` of the previous page.' }))

/** What every list can be asked. */
export const listQuery = Type.Object({ limit: pageLimit, cursor: pageCursor })

/** What an answer from the last-known state carries beside itself (contract: Errors, Degraded mode). */
export const degradedFields = {
  degraded: Type.Optional(
    Type.Literal(true, { description: 'The datastore is unavailable; this is the last known state.' }),
  ),
  reason: Type.Optional(Type.Literal('datastore_unavailable')),
}

/** The answer to a write that is kept in the journal until the datastore is back. */
export const promisedAnswer = Type.Object({
  ok: Type.Literal(true),
  degraded: Type.Literal(true),
  reason: Type.Literal('datastore_unavailable'),
  data: Type.Unknown({ description: 'The change that will be made once the datastore is back.' }),
})
