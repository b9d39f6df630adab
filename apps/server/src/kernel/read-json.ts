import { invalidInput, pathOf } from './api-error.ts'

const maxDepth = 32

/**
 * Parses a request body.
 *
 * @throws {ApiError} `invalid_input` for invalid JSON, nesting deeper than 32, a duplicate field, a field
 * named `__proto__`, a NUL or a lone surrogate in a text, or a number with more digits or a larger size than
 * a double can hold.
 */
export function readJson(text: string): unknown {
  const fieldCount = countFields(text)
  // A match inside a text only costs time.
  const hasLongNumber = /(?:^|[:,[\s])-?(?:\d[\d.]{15}|[\d.]+[eE][+-]?\d{3})/.test(text)
  const value = parse(text, hasLongNumber)
  // `JSON.parse` keeps the last of duplicate fields, but the sender may mean the first.
  if (countKeys(value) < fieldCount)
    throw invalidInput({ path: '', message: 'The body has a field twice in one object' })
  // In well-formed JSON, every other error contains an escape or the name `__proto__`.
  const mayBeRefused = hasLongNumber || /\\u|__proto__/.test(text) || !text.isWellFormed()
  if (mayBeRefused) refuseValues(value, [])
  return value
}

function parse(text: string, hasLongNumber: boolean): unknown {
  try {
    return hasLongNumber
      ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
      : JSON.parse(text)
  } catch {
    throw invalidInput({ path: '', message: 'The body is not valid JSON' })
  }
}

class LostDigits {}

/** Marks a number whose text has a different value from its double. */
function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === 'number' && context?.source && !isSameNumber(context.source, value))
    return new LostDigits()
  return value
}

function isSameNumber(source: string, value: number): boolean {
  return Number.isFinite(value) && normalise(source) === normalise(String(value))
}

function normalise(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  if (trimmed === '') return '0'
  return `${sign}${trimmed}e${Number(power) - fraction.length + digits.length - trimmed.length}`
}

/** Returns the number of fields in all objects of a JSON text. Rejects deep nesting. */
function countFields(text: string): number {
  let depth = 0
  let count = 0
  let isInText = false
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i)
    if (isInText) {
      if (sign === 0x5c) i++
      else if (sign === 0x22) isInText = false
    } else if (sign === 0x22) isInText = true
    else if (sign === 0x7b || sign === 0x5b) {
      if (++depth > maxDepth)
        throw invalidInput({ path: '', message: `The body is nested more than ${maxDepth} levels deep` })
    } else if (sign === 0x7d || sign === 0x5d) depth--
    else if (sign === 0x3a) count++
  }
  return count
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts: unknown[] = Object.values(value)
  return parts.reduce((sum: number, part) => sum + countKeys(part), Array.isArray(value) ? 0 : parts.length)
}

function refuseValues(value: unknown, steps: string[]): void {
  if (typeof value === 'string') {
    refuse(steps, errorOfText(value))
  } else if (value instanceof LostDigits) {
    refuse(steps, 'has more digits than can be stored exactly')
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, field] of Object.entries(value)) {
      steps.push(key)
      refuse(steps, key === '__proto__' ? 'is not a valid field name' : errorOfText(key))
      refuseValues(field, steps)
      steps.pop()
    }
  }
}

function refuse(steps: readonly string[], error: string | undefined): void {
  if (error !== undefined) throw invalidInput({ path: pathOf(...steps), message: error })
}

/** Returns the error of a text that PostgreSQL cannot store: a NUL or a lone surrogate. */
export function errorOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL'
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode'
}
