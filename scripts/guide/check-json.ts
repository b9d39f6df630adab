type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

type Body = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }
type Operation = { readonly requestBody?: Body; readonly responses: Readonly<Record<string, Body>> }

/** The parts of the OpenAPI document that describe bodies. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/**
 * Compares JSON from a page with the OpenAPI document. `…` matches any value, or further fields.
 *
 * @param endpoints - Paths in the heading above the block. The JSON must be a request or response of one of
 *   them. Without paths, it must match one of the named schemas.
 * @returns the reason why the JSON is wrong, or `undefined`.
 */
export function checkJson(
  text: string,
  endpoints: readonly string[],
  { paths, components }: ApiDocument,
): string | undefined {
  let shown: unknown
  try {
    shown = JSON.parse(text.replaceAll(/,\s*…(?=\s*[}\]])/g, '').replaceAll(/([[{])\s*…\s*(?=[\]}])/g, '$1'))
  } catch (error) {
    return `not JSON: ${(error as Error).message}`
  }
  const bodies = endpoints
    .flatMap((path) => Object.values(paths[path] ?? {}))
    .flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)])
    .flatMap((body) => Object.values(body?.content ?? {}).map(({ schema }) => schema))
  const schemas = endpoints.length > 0 ? bodies : Object.values(components.schemas)
  if (schemas.length === 0) return `the API has no ${endpoints.join(', ')}`
  const differences = schemas.map((schema) => differ(shown, schema, ''))
  if (differences.includes(undefined)) return undefined
  return `fits no body of ${endpoints.join(', ') || 'the API'}: ${[...new Set(differences)].slice(0, 3).join('; ')}`

  function differ(value: unknown, schema: Schema, at: string): string | undefined {
    if (value === '…') return undefined
    if (schema.$ref) return differ(value, named(schema.$ref), at)
    const choice = schema.anyOf ?? schema.oneOf
    if (choice) {
      const all = choice.map((each) => differ(value, each, at))
      return all.includes(undefined) ? undefined : all[0]
    }
    if (schema.const !== undefined || schema.enum)
      return [schema.const, ...(schema.enum ?? [])].includes(value)
        ? undefined
        : `${at} cannot be ${JSON.stringify(value)}`
    const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
    const types = [schema.type ?? type].flat()
    if (!types.includes(type) && !(Number.isInteger(value) && types.includes('integer')))
      return `${at || 'the value'} is of type ${type}, not ${types.join(' or ')}`
    if (Array.isArray(value))
      return value
        .map((each, i) => (schema.items ? differ(each, schema.items, `${at}/${i}`) : undefined))
        .find(Boolean)
    if (type !== 'object') return undefined
    const properties = propertiesOf(schema)
    return Object.entries(value as object)
      .map(([name, each]) => {
        const inner = properties[name] ?? (schema.additionalProperties || undefined)
        if (inner === undefined && Object.keys(properties).length > 0) return `${at}/${name} does not exist`
        return typeof inner === 'object' ? differ(each, inner, `${at}/${name}`) : undefined
      })
      .find(Boolean)
  }

  function named(reference: string): Schema {
    return components.schemas[reference.split('/').at(-1) ?? ''] ?? {}
  }

  function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
    const parts = [...(schema.allOf ?? []), ...(schema.$ref ? [named(schema.$ref)] : [])]
    return Object.assign({}, ...parts.map(propertiesOf), schema.properties)
  }
}
