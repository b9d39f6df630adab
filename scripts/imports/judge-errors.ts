import type { Fault } from '../source/fault.ts'
import type { Source } from '../source/parse-source.ts'
import { serverSource } from './layers.ts'
import { resolveImport } from './resolve-import.ts'

const refusal = `${serverSource}kernel/refusal.ts`

/** Where background work begins: what this file reaches runs without a request. */
const background = `${serverSource}app/jobs.ts`

/** Modules that know nothing of requests, whoever calls them. */
const requestless = ['platform/', 'chain/', 'audit/'].map((folder) => serverSource + folder)

/**
 * Answers of the API in work that answers nobody, under the rule `refusal`: what a job reaches, and modules that
 * know nothing of requests, throw and catch errors of their own.
 */
export function judgeErrors(sources: readonly Source[]): Fault[] {
  const reached = reachedFrom(background, sources)
  return sources.flatMap((source) => {
    if (source.path.endsWith('.test.ts')) return []
    const way = reached.get(source.path)
    if (!way && !requestless.some((folder) => source.path.startsWith(folder))) return []
    const mention = source.imports.find(({ specifier }) => resolveImport(source.path, specifier) === refusal)
    if (!mention) return []
    const why = way ? `a job reaches this file: ${way.join(' → ')}` : 'this module knows nothing of requests'
    const message = `${why}; throw an Outage, or an error of the module's own, in place of a Refusal`
    return [{ path: source.path, line: mention.line, rule: 'refusal', message }]
  })
}

/** Each file that is loaded with `start`, with the shortest way there. */
function reachedFrom(start: string, sources: readonly Source[]): Map<string, readonly string[]> {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const ways = new Map<string, readonly string[]>([[start, [start.slice(serverSource.length)]]])
  for (const [path, way] of ways)
    for (const { specifier, isType } of byPath.get(path)?.imports ?? []) {
      const next = resolveImport(path, specifier)
      if (isType || !next?.startsWith(serverSource) || ways.has(next)) continue
      ways.set(next, [...way, next.slice(serverSource.length)])
    }
  return ways
}
