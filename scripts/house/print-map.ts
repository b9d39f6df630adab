import type { Source } from '../source/parse-source.ts'
import { layers, placeOf } from './layers.ts'
import { resolveImport } from './resolve-import.ts'

/** The house as it stands: each floor's folders from the top down, and what each imports. */
export function printMap(sources: readonly Source[]): string {
  const files = new Map<string, number>()
  const edges = new Map<string, Set<string>>()
  for (const source of sources) {
    const from = placeOf(source.path)
    if (from.floor === undefined) continue
    files.set(from.name, (files.get(from.name) ?? 0) + 1)
    for (const { specifier } of source.imports) {
      const target = resolveImport(source.path, specifier)
      if (!target) continue
      const to = placeOf(target)
      if (to.name === from.name || to.floor === undefined) continue
      edges.set(from.name, (edges.get(from.name) ?? new Set()).add(to.name))
    }
  }
  const line = (floor: string, name: string) => {
    const dependencies = [...(edges.get(name) ?? [])].sort(byLayer).join(' ')
    const count = `${files.get(name) ?? 0} files`
    return `${floor.padStart(2)}  ${name.padEnd(11)} ${count.padStart(9)}${dependencies ? `  → ${dependencies}` : ''}`
  }
  const lines: string[] = []
  for (let floor = layers.length - 1; floor > 0; floor--) {
    for (const name of layers[floor] ?? []) if (files.has(name)) lines.push(line(String(floor), name))
  }
  for (const name of ['protocol', 'contracts']) lines.push(line('0', name))
  for (const name of ['islands', 'sdk']) if (files.has(name)) lines.push(line('–', name))
  return lines.join('\n')
}

function byLayer(a: string, b: string): number {
  return height(b) - height(a) || a.localeCompare(b)
}

function height(name: string): number {
  return layers.findIndex((names) => names.includes(name))
}
