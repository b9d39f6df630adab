import { parseSync } from 'oxc-parser'

/** A node of a syntax tree (ESTree with TypeScript). */
export type Node = { readonly type: string; readonly start: number; readonly end: number } & {
  readonly [field: string]: unknown
}

/** An import or re-export of another module. */
export type ImportMention = {
  readonly specifier: string
  /** True if erased at run time: `import type`, `export type … from`, or only type names in the braces. */
  readonly isType: boolean
  /** Imported names; `*` means all. */
  readonly names: readonly string[]
  readonly line: number
}

/** A source file, parsed once for all rules. */
export type Source = {
  readonly path: string
  readonly text: string
  readonly imports: readonly ImportMention[]
  readonly body: readonly Node[]
}

/**
 * Parses a TypeScript file.
 *
 * @throws if the text does not parse.
 */
export function parseSource(path: string, text: string): Source {
  const result = parseSync(path, text)
  const reason = result.errors.find((error) => error.severity === 'Error')
  if (reason) throw new Error(`${path} does not parse: ${reason.message}`)
  const body = result.program.body as unknown as Node[]
  const { staticImports, staticExports, dynamicImports } = result.module
  const imports: ImportMention[] = []
  for (const { moduleRequest, entries, start } of staticImports) {
    imports.push({
      specifier: moduleRequest.value,
      isType: entries.length > 0 && entries.every((entry) => entry.isType),
      names: entries.map((entry) => entry.importName.name ?? '*'),
      line: lineAt(text, start),
    })
  }
  for (const { entries, start } of staticExports) {
    const from = entries.find((entry) => entry.moduleRequest)?.moduleRequest
    if (!from) continue
    imports.push({
      specifier: from.value,
      isType: entries.every((entry) => entry.isType),
      names: entries.map((entry) => entry.importName.name ?? '*'),
      line: lineAt(text, start),
    })
  }
  for (const { moduleRequest } of dynamicImports) {
    const quoted = /^(['"`])([^$]*)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))
    if (quoted?.[2] === undefined) continue
    imports.push({
      specifier: quoted[2],
      isType: false,
      names: ['*'],
      line: lineAt(text, moduleRequest.start),
    })
  }
  return { path, text, imports, body }
}

/** Calls `visit` for every node of the tree with its parent, parents first. */
export function walk(nodes: readonly Node[], visit: (node: Node, parent: Node | undefined) => void): void {
  const step = (value: unknown, parent: Node | undefined): void => {
    if (Array.isArray(value)) {
      for (const item of value) step(item, parent)
    } else if (isNode(value)) {
      visit(value, parent)
      for (const field of Object.values(value)) step(field, value)
    }
  }
  step(nodes, undefined)
}

/** Returns whether a field of a node contains a node. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** Returns the line number of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}
