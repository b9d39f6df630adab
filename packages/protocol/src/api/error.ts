import { type TSchema, Type } from 'typebox'
import { type ErrorCode, errorStatus } from '../errors.ts'

const issue = Type.Object({
  path: Type.String({ description: 'The path in the body or query, separated by `/`.' }),
  message: Type.String(),
})
const resetAt = Type.Integer({ description: 'Unix milliseconds. Retry at this time or later.' })

const extras: Partial<Record<ErrorCode, Readonly<Record<string, TSchema>>>> = {
  invalid_input: {
    issues: Type.Array(issue, { description: 'All issues, each with its path.' }),
    issueCount: Type.Optional(Type.Integer({ description: 'The number of issues, if not all are listed.' })),
  },
  inventory_item_not_found: {
    items: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'The index of the item in the order.' }),
        sku: Type.Optional(Type.String()),
        id: Type.Optional(Type.String()),
      }),
    ),
  },
  inventory_item_unavailable: {
    sku: Type.String(),
    left: Type.Integer({ description: 'The quantity that is left.' }),
    items: Type.Array(Type.Object({ sku: Type.String(), qty: Type.Integer(), left: Type.Integer() })),
  },
  forbidden: {
    reason: Type.Optional(
      Type.String({ description: '`reauthentication_required`: log in again and retry the request.' }),
    ),
  },
  deprecated: { reason: Type.Literal('use_connected_wallet') },
  rate_limited: { resetAt },
  failed: { correlationId: Type.String({ description: 'Include this id when you report the error.' }) },
}

export const errorSchemas: ReadonlyMap<ErrorCode, TSchema> = new Map(
  (Object.keys(errorStatus) as ErrorCode[]).map((code) => [
    code,
    Type.Object({ error: Type.Literal(code), message: Type.String(), ...extras[code] }),
  ]),
)
