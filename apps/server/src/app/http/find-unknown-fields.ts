import type { TSchema } from 'typebox'
import { pathOf, pathWithin } from '../../kernel/field-path.ts'
import { nearestName } from '../../kernel/text/nearest-name.ts'

/** A field of a body that nobody reads: accepted, and told of, since it is a slip more often than not. */
export type FieldWarning = {
  readonly path: string
  readonly message: string
  readonly didYouMean: string | null
}

const maxWarnings = 20
const maxNameLength = 100

/**
 * The fields of a body that its schema does not know, with the one that may have been meant. Objects that take any
 * name, such as `metadata`, know all of theirs.
 */
export function findUnknownFields(schema: TSchema | undefined, body: unknown): FieldWarning[] {
  const warnings: FieldWarning[] = []
  if (schema) look([schema as Schema], body, '', warnings)
  return warnings
}

/** What of JSON Schema our bodies are made of. */
type Schema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: unknown
  readonly additionalProperties?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** @param schemas - All that describe the value: alternatives and parts together. */
function look(schemas: readonly Schema[], value: unknown, path: string, warnings: FieldWarning[]): void {
  const all = schemas.flatMap(flatten)
  if (Array.isArray(value)) {
    const items = all.flatMap(({ items }) => items ?? [])
    if (items.length > 0)
      for (const [i, each] of value.entries()) look(items, each, pathWithin(path, pathOf(i)), warnings)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const objects = all.filter(({ properties }) => properties !== undefined)
  const isOpen = all.some((each) => each.patternProperties !== undefined || isAnything(each))
  if (objects.length === 0 || isOpen) return
  const known = new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))
  for (const [name, field] of Object.entries(value)) {
    if (warnings.length >= maxWarnings) return
    const schemasOfField = objects.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, name) ? [properties[name] as Schema] : [],
    )
    if (known.has(name)) look(schemasOfField, field, pathWithin(path, pathOf(name)), warnings)
    else warnings.push(warn(path, name, [...known]))
  }
}

function warn(path: string, name: string, known: readonly string[]): FieldWarning {
  const nearest = nearestName(name, known)
  return {
    path: pathWithin(path, pathOf(name.slice(0, maxNameLength))),
    message: 'is not a field of this request and was ignored',
    didYouMean: nearest === undefined ? null : pathWithin(path, pathOf(nearest)),
  }
}

function flatten(schema: Schema): Schema[] {
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(flatten)]
}

/** An object whose fields are its sender's own. */
function isAnything({ type, properties, additionalProperties }: Schema): boolean {
  if (typeof additionalProperties === 'object' || additionalProperties === true) return true
  return type === 'object' && properties === undefined
}
