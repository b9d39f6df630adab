import type { TSchema } from 'typebox'
import { pathOf } from '../../kernel/api-error.ts'
import { nearestName } from '../../kernel/text/nearest-name.ts'

/** An unknown field in a request body. The server accepts the field and returns a warning. */
export type FieldWarning = {
  readonly path: string
  readonly message: string
  readonly didYouMean: string | null
}

export const maxWarnings = 20
const maxNameLength = 100

/**
 * Lists fields of a body that its schema does not define, with the most similar known name.
 *
 * Objects with arbitrary names, such as `metadata`, have no unknown fields.
 */
export function findUnknownFields(schema: TSchema | undefined, body: unknown): FieldWarning[] {
  const warnings: FieldWarning[] = []
  if (schema) look(shapeOf(schema), body, [], warnings)
  return warnings
}

type Schema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: unknown
  readonly additionalProperties?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/**
 * Known field names of a value, across all parts of its schema, or `undefined` if the value accepts any name.
 */
type Shape = {
  readonly items: Shape | undefined
  readonly fields: ReadonlyMap<string, Shape> | undefined
}

type Step = string | number

const shapes = new WeakMap<TSchema, Shape>()

/** Cached per schema. */
function shapeOf(schema: TSchema): Shape {
  const known = shapes.get(schema)
  if (known) return known
  const shape = makeShape([schema as Schema])
  shapes.set(schema, shape)
  return shape
}

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

/** @param steps - Path of the value, formatted only for a warning. */
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

function isAnything({ type, properties, additionalProperties }: Schema): boolean {
  if (typeof additionalProperties === 'object' || additionalProperties === true) return true
  return type === 'object' && properties === undefined
}
