import type { Source } from '../source/parse-source.ts'
import { layers, placeOf } from './layers.ts'
import { resolveImport } from './resolve-import.ts'

/** The layers as they are: the modules of each from the top down, and what each imports. */
export function printMap(sources: readonly Source[]): string {
  const files = new Map<string, number>()
  const edges = new Map<string, Set<string>>()
  for (const source of sources) {
    const from = placeOf(source.path)
    if (from.layer === undefined) continue
    files.set(from.name, (files.get(from.name) ?? 0) + 1)
    for (const { specifier } of source.imports) {
      const target = resolveImport(source.path, specifier)
      if (!target) continue
      const to = placeOf(target)
      if (to.name === from.name || to.layer === undefined) continue
      edges.set(from.name, (edges.get(from.name) ?? new Set()).add(to.name))
    }
  }
  const line = (layer: string, name: string) => {
    const dependencies = [...(edges.get(name) ?? [])].sort(byLayer).join(' ')
    const count = `${files.get(name) ?? 0} files`
    return `${layer.padStart(2)}  ${name.padEnd(11)} ${count.padStart(9)}${dependencies ? `  → ${dependencies}` : ''}`
  }
  const lines: string[] = []
  for (let layer = layers.length - 1; layer > 0; layer--) {
    for (const name of layers[layer] ?? []) if (files.has(name)) lines.push(line(String(layer), name))
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
