import type { TSchema } from 'typebox'
import { pathOf } from '../../kernel/refusal.ts'
import { nearestName } from '../../kernel/text/nearest-name.ts'

/** A field of a body that nobody reads: accepted, and told of, since it is a slip more often than not. */
export type FieldWarning = {
  readonly path: string
  readonly message: string
  readonly didYouMean: string | null
}

export const maxWarnings = 20
const maxNameLength = 100

/**
 * The fields of a body that its schema does not know, with the one that may have been meant. Objects that take any
 * name, such as `metadata`, know all of theirs.
 */
export function findUnknownFields(schema: TSchema | undefined, body: unknown): FieldWarning[] {
  const warnings: FieldWarning[] = []
  if (schema) look(shapeOf(schema), body, [], warnings)
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

/** Which names a value knows, all alternatives and parts of its schema together; none where it takes any. */
type Shape = {
  readonly items: Shape | undefined
  readonly fields: ReadonlyMap<string, Shape> | undefined
}

type Step = string | number

const shapes = new WeakMap<TSchema, Shape>()

/** Of the schema of a route, which is looked through once and not for every request. */
function shapeOf(schema: TSchema): Shape {
  const known = shapes.get(schema)
  if (known) return known
  const shape = makeShape([schema as Schema])
  shapes.set(schema, shape)
  return shape
}

/** @param schemas - All that describe the value: alternatives and parts together. */
function makeShape(schemas: readonly Schema[]): Shape {
  const all = schemas.flatMap(flatten)
  const items = all.flatMap(({ items }) => items ?? [])
  const parts = all.map(({ properties }) => properties).filter((each) => each !== undefined)
  const isOpen = all.some((each) => each.patternProperties !== undefined || isAnything(each))
  const named = new Map<string, Schema[]>()
  for (const [name, field] of parts.flatMap((each) => Object.entries<Schema>({ ...each })))
    named.set(name, [...(named.get(name) ?? []), field])
  const fields = new Map([...named].map(([name, each]) => [name, makeShape(each)]))
  return {
    items: items.length > 0 ? makeShape(items) : undefined,
    fields: parts.length === 0 || isOpen ? undefined : fields,
  }
}

/** @param steps - Where the value stands: written out only for what is warned of. */
function look({ items, fields }: Shape, value: unknown, steps: Step[], warnings: FieldWarning[]): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    if (items) for (const [i, each] of value.entries()) lookInto(items, each, steps, i, warnings)
    return
  }
  if (!fields) return
  for (const name of Object.keys(value)) {
    if (warnings.length >= maxWarnings) return
    const shape = fields.get(name)
    const field = (value as Readonly<Record<string, unknown>>)[name]
    if (shape) lookInto(shape, field, steps, name, warnings)
    else warnings.push(warn(steps, name, [...fields.keys()]))
  }
}

function lookInto(shape: Shape, value: unknown, steps: Step[], step: Step, warnings: FieldWarning[]): void {
  if (typeof value !== 'object' || value === null) return
  steps.push(step)
  look(shape, value, steps, warnings)
  steps.pop()
}

function warn(steps: readonly Step[], name: string, known: readonly string[]): FieldWarning {
  const nearest = nearestName(name, known)
  return {
    path: pathOf(...steps, name.slice(0, maxNameLength)),
    message: 'is not a field of this request and was ignored',
    didYouMean: nearest === undefined ? null : pathOf(...steps, nearest),
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
