import { isNode, type Node, parseSource } from './parse-source.ts'

/** A piece of a source file that has a name there: what stands at the top level, with its `export` and no comment. */
export type Declaration = {
  readonly path: string
  readonly name: string
  readonly start: number
  readonly end: number
}

/** What a TypeScript file declares: functions, classes, constants and types at its top level. */
export function listDeclarations(path: string, text: string): Declaration[] {
  return parseSource(path, text).body.flatMap((node) =>
    namesOf(node).map((name) => ({ path, name, start: node.start, end: node.end })),
  )
}

function namesOf(node: Node): string[] {
  const { declaration, declarations, id } = node
  if (isNode(declaration)) return namesOf(declaration)
  if (Array.isArray(declarations)) return declarations.flatMap(namesOf)
  return isNode(id) && id.type === 'Identifier' ? [`${id.name}`] : []
}
