import type { TSchema } from 'typebox'
import { faultOfText } from '../../kernel/read-json.ts'
import { type Issue, invalidInput } from '../../kernel/refusal.ts'
import { nearestName } from '../../kernel/text/nearest-name.ts'

/**
 * The query of a request, each parameter once and each one known to its route: a name that was misspelt would
 * otherwise filter nothing, and two readers could take two different values of one that is sent twice.
 *
 * @throws {Refusal} `invalid_input` with the known name that an unknown one is like.
 */
export function readQuery(
  schema: TSchema | undefined,
  sent: Record<string, unknown>,
): Record<string, string> {
  const known = namesOf(schema)
  const issues: Issue[] = []
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value !== 'string') issues.push({ path: name, message: 'was sent more than once' })
    else if (!known.includes(name)) issues.push(unknown(name, known))
  }
  if (issues.length > 0) throw invalidInput(...issues.slice(0, 20))
  return wellFormed(sent as Record<string, string>)
}

/** NUL is refused wherever it stands: the database would not take it. */
export function wellFormed(values: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(values)) {
    const fault = faultOfText(value)
    if (fault) throw invalidInput({ path: name, message: fault })
  }
  return values
}

function namesOf(schema: TSchema | undefined): string[] {
  return Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
}

function unknown(path: string, known: readonly string[]): Issue {
  const nearest = nearestName(path, known)
  if (nearest) return { path, message: `is not a parameter of this endpoint; did you mean ${nearest}?` }
  const list = known.length > 0 ? `it takes ${known.join(', ')}` : 'it takes none'
  return { path, message: `is not a parameter of this endpoint; ${list}` }
}
