import { type Documented, documentedKey } from '@sluice/protocol/api/documented.ts'

/** A part of the API's document. */
export type Json = Readonly<Record<string, unknown>>

/**
 * Writes schemas as the API's document has them: those with a name by a reference to it, fields that the handler
 * judges by what is documented of them, and nothing that only the checks understand.
 */
export class SchemaWriter {
  readonly #names: ReadonlyMap<object, string>

  /** @param named - By the name each has under `components.schemas`. */
  constructor(named: Readonly<Record<string, object>>) {
    this.#names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]))
  }

  /** The schema, or a reference to it where it has a name. */
  write(schema: unknown): Json {
    const name = typeof schema === 'object' && schema !== null ? this.#names.get(schema) : undefined
    return name === undefined ? this.writeInFull(schema) : { $ref: `#/components/schemas/${name}` }
  }

  /** The schema itself, with references only inside it. */
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

  /** A body that also may be absent says so by the type `undefined`, which JSON Schema does not know. */
  #writeUnion({ anyOf: _, ...rest }: Record<string, unknown>, members: readonly unknown[]): Json {
    const given = members.filter((member) => (member as { type?: unknown }).type !== 'undefined')
    if (given.length === 1) return { ...this.write(given[0]), ...rest }
    const texts = given.map((member) => (member as { const?: unknown }).const)
    if (texts.every((text) => typeof text === 'string')) return { type: 'string', enum: texts, ...rest }
    return { anyOf: given.map((member) => this.write(member)), ...rest }
  }
}

/** Whether the document says of a field that it must be there. */
export function isRequired(property: object): boolean {
  return (property as { [documentedKey]?: Documented })[documentedKey]?.isRequired === true
}
