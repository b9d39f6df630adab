import { type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { samplesOf } from './sample-fields.ts'
import type { JsonValue } from './sample-values.ts'

/**
 * Makes an example that a schema accepts. A field gets the first sample for its name that its schema accepts; optional
 * fields are left out.
 *
 * @param name - Name of the field; empty for a whole body.
 */
export function makeExample(schema: TSchema, name = '', inside = ''): JsonValue {
  const { type, anyOf, properties, items, required } = schema as SchemaParts
  const { const: only, enum: values } = schema as { const?: JsonValue; enum?: readonly JsonValue[] }
  if (only !== undefined) return only
  const sample = samplesOf(name, inside).find((each) => Value.Check(schema, each))
  if (sample !== undefined) return sample
  if (values?.[0] !== undefined) return values[0]
  if (anyOf) return makeExample(anyOf.find(isNotNull) ?? Type.Null(), name, inside)
  if (type === 'array') return items ? [makeExample(items, name, inside)] : []
  if (properties) {
    const names = new Set(required)
    const shown = Object.entries(properties).filter(([field]) => names.has(field))
    return Object.fromEntries(shown.map(([field, part]) => [field, makeExample(part, field, name)]))
  }
  return type === 'object' ? {} : null
}

type SchemaParts = {
  readonly type?: string
  readonly anyOf?: readonly TSchema[]
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly required?: readonly string[]
}

function isNotNull(schema: TSchema): boolean {
  const { type, const: only } = schema as { type?: string; const?: unknown }
  return type !== 'null' && only !== null
}
