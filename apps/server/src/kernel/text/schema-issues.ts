import type { TValidationError } from 'typebox/error'
import { pathOf, pathOfPointer, pathWithin } from '../field-path.ts'
import type { Issue } from '../refusal.ts'
import { patternTexts } from './pattern-texts.ts'

/** Returns what a schema found wrong with a value as issues, one for each path. */
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

/** What is wrong with one value: of the forms that it may have, the values or the first form are named. */
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
      return patternTexts[String(error.params.pattern)] ?? 'has another form than it must have'
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
      return 'has another form than it must have'
  }
}

const typeNames: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  object: 'an object',
  array: 'an array',
  boolean: 'true or false',
}

const nameOfType = (type: string) => typeNames[type] ?? `a ${type}`
