import type { Fault } from '../source/fault.ts'
import type { Source } from '../source/parse-source.ts'
import { resolveImport } from './resolve-import.ts'

/**
 * Circles of imports, types included, under the rule `circle`: one fault for each circle,
 * at the first of its files.
 */
export function findCircles(sources: readonly Source[]): Fault[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const state = new Map<string, 'open' | 'done'>()
  const faults: Fault[] = []
  const trail: string[] = []

  const visit = (source: Source): void => {
    state.set(source.path, 'open')
    trail.push(source.path)
    for (const mention of source.imports) {
      const next = byPath.get(resolveImport(source.path, mention.specifier) ?? '')
      if (!next) continue
      if (state.get(next.path) === 'open') {
        const circle = [...trail.slice(trail.indexOf(next.path)), next.path]
        const message = `files import each other in a circle: ${circle.join(' → ')}`
        faults.push({ path: source.path, line: mention.line, rule: 'circle', message })
      } else if (!state.has(next.path)) {
        visit(next)
      }
    }
    trail.pop()
    state.set(source.path, 'done')
  }
  for (const source of sources) if (!state.has(source.path)) visit(source)
  return faults
}
