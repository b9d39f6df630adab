import type { TValidationError } from 'typebox/error'
import { type Issue, pathOf, pathOfPointer, pathWithin } from '../api-error.ts'

/** Converts schema errors into one issue per path, with plain-English messages. */
export function issuesOf(errors: readonly TValidationError[]): Issue[] {
  const byPath = Map.groupBy(errors, ({ instancePath }) => pathOfPointer(instancePath))
  return [...byPath].flatMap(([path, found]) => {
    const required = found.find((error) => error.keyword === 'required')
    if (required)
      return required.params.requiredProperties.map((name) => ({
        path: pathWithin(path, pathOf(name)),
        message: 'is required',
      }))
    const message = textOf(found)
    return { path, message: path === '' ? `The body ${message}` : message }
  })
}

function textOf(found: readonly TValidationError[]): string {
  const values = found.flatMap((error): readonly unknown[] => {
    if (error.keyword === 'enum') return error.params.allowedValues
    return error.keyword === 'const' ? [error.params.allowedValue] : []
  })
  const forms = found.filter((error) => error.keyword !== 'anyOf' && !isOfNull(error))
  const orNull = forms.length > 0 && forms.length < found.length && found.some(isOfNull)
  if (values.length > 0) return `must be one of ${[...values, ...(orNull ? ['null'] : [])].join(', ')}`
  const [first] = forms
  return first ? `${formText(first)}${orNull ? ', or null' : ''}` : 'must be null'
}

const isOfNull = (error: TValidationError) => error.keyword === 'type' && error.params.type === 'null'

function formText(error: TValidationError): string {
  switch (error.keyword) {
    case 'type':
      return `must be ${[error.params.type].flat().map(nameOfType).join(' or ')}`
    case 'pattern':
      return patternTexts[String(error.params.pattern)] ?? 'has the wrong format'
    case 'minLength':
    case 'minItems':
      return error.params.limit === 1 ? 'must not be empty' : `must be at least ${error.params.limit} long`
    case 'maxLength':
      return `must be at most ${error.params.limit} characters long`
    case 'maxItems':
      return `must have at most ${error.params.limit} entries`
    case 'minimum':
      return `must be at least ${error.params.limit}`
    case 'maximum':
      return `must be at most ${error.params.limit}`
    case 'exclusiveMinimum':
      return `must be greater than ${error.params.limit}`
    default:
      return 'has the wrong format'
  }
}

const typeNames: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  object: 'an object',
  array: 'an array',
  boolean: 'true or false',
}

const nameOfType = (type: string) => typeNames[type] ?? `a ${type}`

/** Descriptions of schema patterns, because a response shows no regular expression. */
export const patternTexts: Readonly<Record<string, string>> = {
  '^0x[0-9a-fA-F]{40}$': 'must be 0x followed by 40 hexadecimal digits',
  '^0x[0-9a-fA-F]{64}$': 'must be 0x followed by 64 hexadecimal digits',
  '^0x[0-9a-f]{64}$': 'must be 0x followed by 64 lower-case hexadecimal digits',
  '^0x[0-9a-fA-F]{1,64}$': 'must be 0x followed by 1 to 64 hexadecimal digits',
  '^0x([0-9a-fA-F]{2})+$': 'must be 0x followed by whole bytes in hexadecimal digits',
  '^0x([0-9a-fA-F]{2})*$': 'must be 0x followed by whole bytes in hexadecimal digits',
  '^0x([0-9a-fA-F]{2}){1,4096}$': 'must be 0x followed by 1 to 4096 bytes in hexadecimal digits',
  '^(0|[1-9][0-9]{0,77})$': 'must be a whole number without leading zeros',
  '^[0-9]{1,78}$': 'must be a whole number of at most 78 digits',
  '^[0-9]{1,15}$': 'must be a whole number of at most 15 digits',
  '^[1-9][0-9]{0,14}$': 'must be a whole number of at least 1',
  '^[0-9]{1,4}$': 'must be a whole number from 1 to 200',
  '^[0-9]+$': 'must be a whole number',
  '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]+$': 'must be one line of text that is not blank',
  '^[^,|\\u0000-\\u001f\\u007f]+$': 'must be one line of text without commas and |',
  '^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$':
    'must be 1 to 128 characters (letters, digits and . _ : ~ -) and begin with a letter or digit',
  '^[A-Za-z0-9 ,\'"_-]{0,200}$': 'must be at most 200 letters, digits, spaces and , \' " _ -',
  '^[a-z0-9-]{3,48}$': 'must be 3 to 48 lower-case letters, digits and hyphens',
  '^[a-z0-9]+(-[a-z0-9]+)*$': 'must be lower-case letters and digits, with single hyphens between them',
  '^[a-z_]+(\\.[a-z_]+)?$': 'must be an action such as receipt.edited, or its first part',
  '^[^\\s@<>"]+@[^\\s@<>"]+\\.[^\\s@<>".]+$': 'must be an email address',
}
