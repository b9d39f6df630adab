type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
  readonly required?: readonly string[]
  readonly description?: string
  readonly deprecated?: boolean
}

/** Returns the TypeScript type of a JSON schema from the OpenAPI document. */
export function printType(schema: object): string {
  return print(schema)
}

function print(schema: Schema): string {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if ('const' in schema) return literal(schema.const)
  const members = schema.anyOf ?? schema.oneOf
  if (members) return members.map(print).join(' | ')
  switch (schema.type) {
    case 'array':
      return `(${print(schema.items ?? {})})[]`
    case 'object':
      return schema.properties
        ? printObject(schema)
        : `Record<string, ${print(schema.additionalProperties ?? {})}>`
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function printObject({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([name, property]) => {
    const isRequired = required.includes(name)
    const type = print(property) + (isRequired ? '' : ' | undefined')
    return `${printComment(property)}${propertyName(name)}${isRequired ? '' : '?'}: ${type}`
  })
  return `{\n${fields.join('\n')}\n}`
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

function printComment({ description, deprecated }: Schema): string {
  const text = [description, deprecated && '@deprecated'].filter(Boolean).join(' ')
  return text ? `/** ${text.replaceAll('*/', '*\\/')} */\n` : ''
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
