import { type Documented, documentedKey } from '@sluice/protocol/api/documented.ts'

export type Json = Readonly<Record<string, unknown>>

/**
 * Converts schemas to those of the OpenAPI document.
 *
 * Named schemas become references. Fields that handlers validate use their documented schema.
 */
export class SchemaWriter {
  readonly #names: ReadonlyMap<object, string>

  constructor(named: Readonly<Record<string, object>>) {
    this.#names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]))
  }

  write(schema: unknown): Json {
    const name = typeof schema === 'object' && schema !== null ? this.#names.get(schema) : undefined
    return name === undefined ? this.writeInFull(schema) : { $ref: `#/components/schemas/${name}` }
  }

  writeInFull(schema: unknown): Json {
    const { [documentedKey]: documented, ...given } = schema as Record<string, unknown>
    if (documented) return this.write((documented as Documented).schema)
    if (Array.isArray(given.anyOf)) return this.#writeUnion(given, given.anyOf)
    const { type, patternProperties, properties, required, items, ...rest } = given
    if (type === 'object' && patternProperties) {
      const [value] = Object.values(patternProperties)
      return { type, ...rest, additionalProperties: this.write(value) }
    }
    if (type === 'object') return { type, ...rest, ...this.#writeProperties(properties, required) }
    if (type === 'array') return { type, ...rest, items: this.write(items) }
    if (rest.contentSchema) return { type, ...rest, contentSchema: this.write(rest.contentSchema) }
    const isTextEnum = Array.isArray(rest.enum) && rest.enum.every((value) => typeof value === 'string')
    return { ...(type ? { type } : isTextEnum && { type: 'string' }), ...rest }
  }

  #writeProperties(properties: unknown = {}, required: unknown): Json {
    const entries = Object.entries(properties as Record<string, object>)
    const names = new Set((required as readonly string[] | undefined) ?? [])
    for (const [name, property] of entries) if (isRequired(property)) names.add(name)
    const inOrder = entries.map(([name]) => name).filter((name) => names.has(name))
    return {
      properties: Object.fromEntries(entries.map(([name, property]) => [name, this.write(property)])),
      ...(inOrder.length > 0 && { required: inOrder }),
    }
  }

  /** Drops the type `undefined` from an optional body, because JSON Schema does not have it. */
  #writeUnion({ anyOf: _, ...rest }: Record<string, unknown>, members: readonly unknown[]): Json {
    const given = members.filter((member) => (member as { type?: unknown }).type !== 'undefined')
    if (given.length === 1) return { ...this.write(given[0]), ...rest }
    const texts = given.map((member) => (member as { const?: unknown }).const)
    if (texts.every((text) => typeof text === 'string')) return { type: 'string', enum: texts, ...rest }
    return { anyOf: given.map((member) => this.write(member)), ...rest }
  }
}

export function isRequired(property: object): boolean {
  return (property as { [documentedKey]?: Documented })[documentedKey]?.isRequired === true
}
