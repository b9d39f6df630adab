import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

export type BadBody = { readonly what: string; readonly body: string | Buffer }

/** JSON texts that `JSON.stringify` cannot produce. Each replaces a marker in the body. */
const raw = {
  huge: '1e400',
  negativeHuge: '-1e400',
  tiny: '1e-400',
  manyDigits: '12345678901234567890.123',
  beyondInteger: '9007199254740993',
  loneSurrogate: '"a\\ud800b"',
  upperSurrogate: '"\\udfff"',
  nul: '"a\\u0000b"',
} as const

type RawName = keyof typeof raw

const marker = (name: RawName) => `@@${name}@@`

const neverRight = (['loneSurrogate', 'upperSurrogate', 'nul', 'huge', 'negativeHuge'] as const).map(marker)

/** Values that are invalid for most fields, depending on the schema. */
const mostlyWrong: readonly unknown[] = [
  ...[null, true, false],
  ...[0, 7, -1, 1.5, -0.5, 1e15, 1e21, 1e308, 5e-324],
  ...['', ' ', '7', 'true', 'null', '__proto__', 'constructor', '0x1', 'NaN', '\u202e', 'a'.repeat(5_000)],
  [],
  [null],
  ['7', 7],
  [[[]]],
  {},
  { toString: 1 },
  { length: 0 },
  { constructor: { prototype: { admin: true } } },
]

/**
 * Returns bodies with one invalid field each, including fields of inner objects and of a list's first entry.
 */
export function spoilFields(schema: TSchema, good: object): BadBody[] {
  return fieldsOf(schema, good, []).flatMap(({ path, schema: field }) => {
    const check = Compile(field)
    const wrong = [...neverRight, ...mostlyWrong.filter((value) => !check.Check(value))]
    return wrong.map((value) => ({
      what: `${path.join('/')} is ${JSON.stringify(value).slice(0, 40)}`,
      body: write(setIn(good, path, value)),
    }))
  })
}

export function dropFields(schema: TSchema, good: object): BadBody[] {
  const { required = [] } = schema as { required?: string[] }
  return required.map((name) => ({
    what: `${name} is missing`,
    body: write(Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))),
  }))
}

export function brokenJson(good: object, limit: number): BadBody[] {
  const text = JSON.stringify(good)
  const inside = (more: string) => (text === '{}' ? `{${more}}` : `${text.slice(0, -1)},${more}}`)
  const bodies: Record<string, string | Buffer> = {
    'an open brace': '{',
    'half of it': text.slice(0, -1),
    'a comma too many': `${text.slice(0, -1)},}`,
    'two values': `${text}${text}`,
    'single quotes': "{'a':1}",
    'a comment': `/* */${text}`,
    'a NUL after it': `${text}\u0000`,
    'NaN inside': inside('"x":NaN'),
    'Infinity inside': inside('"x":Infinity'),
    'a hex number inside': inside('"x":0x10'),
    'a leading zero inside': inside('"x":01'),
    'a leading plus inside': inside('"x":+1'),
    'a line break in a text': inside('"x":"a\nb"'),
    'a bad escape': inside('"x":"\\x41"'),
    'a list': `[${text}]`,
    'an empty list': '[]',
    null: 'null',
    'a number': '7',
    'a text': '"a"',
    true: 'true',
    'half a UTF-8 sign': Buffer.concat([Buffer.from(inside('"x":"')), Buffer.from([0xc3, 0x22, 0x7d])]),
    'an overlong UTF-8 sign': Buffer.from('{"x":"\xc0\xaf"}', 'latin1'),
    'a surrogate in UTF-8': Buffer.from('{"x":"\xed\xa0\x80"}', 'latin1'),
    'UTF-16': Buffer.from(text, 'utf16le'),
    'a name with NUL': inside('"x\\u0000":1'),
    'a name with a lone surrogate': inside('"x\\ud800":1'),
    'an unknown field with NUL': inside(`"x":${raw.nul}`),
    'an unknown field with a lone surrogate': inside(`"x":["${'\\udc00'}"]`),
    'an unknown field that is huge': inside(`"x":${raw.huge}`),
    'an unknown field that is tiny': inside(`"x":${raw.tiny}`),
    'an unknown field of many digits': inside(`"x":${raw.manyDigits}`),
    'an unknown field beyond integers': inside(`"x":${raw.beyondInteger}`),
    'an inner __proto__': inside('"x":{"y":[{"__proto__":1}]}'),
    'an escaped __proto__': inside('"\\u005f_proto__":{}'),
    '33 lists deep': inside(`"x":${'['.repeat(32)}${']'.repeat(32)}`),
    '100,000 lists deep': '['.repeat(100_000),
    '33 objects deep': inside(`"x":${'{"x":'.repeat(32)}1${'}'.repeat(32)}`),
    'larger than is taken': inside(`"x":"${'y'.repeat(limit)}"`),
  }
  // As a key of the literal above, this name would set the prototype.
  bodies['the name __proto__'] = inside('"__proto__":{"admin":true}')
  return Object.entries(bodies).map(([what, body]) => ({ what, body }))
}

type Field = { readonly path: readonly string[]; readonly schema: TSchema }

type Node = TSchema & { properties?: Record<string, TSchema>; items?: TSchema; anyOf?: TSchema[] }

function fieldsOf(schema: TSchema, good: unknown, path: readonly string[]): Field[] {
  const { properties, items } = schema as Node
  if (properties) {
    return Object.entries(properties).flatMap(([name, field]) => {
      const value = (good as Record<string, unknown> | undefined)?.[name]
      const here = [...path, name]
      const inner = value === undefined ? [] : fieldsOf(field, value, here)
      return [{ path: here, schema: field }, ...inner]
    })
  }
  if (items && Array.isArray(good) && good.length > 0) {
    const here = [...path, '0']
    return [{ path: here, schema: items }, ...fieldsOf(items, good[0], here)]
  }
  return []
}

export function setIn(target: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  if (Array.isArray(target))
    return target.map((each, i) => (i === Number(name) ? setIn(each, rest, value) : each))
  const fields = (target ?? {}) as Record<string, unknown>
  return { ...fields, [name]: setIn(fields[name], rest, value) }
}

function write(body: unknown): string {
  return JSON.stringify(body).replace(/"@@(\w+)@@"/g, (_, name: RawName) => raw[name])
}
