import { isNode, lineAt, type Node, type Source, walk } from '../source/parse-source.ts'
import { type LoadModule, readValue, scopeOf } from './read-value.ts'

/** A statement object `{ name: '…', text: '…' }` in the server's sources. */
export type FoundStatement = {
  readonly path: string
  readonly line: number
  /** `undefined` if the name is not a literal. */
  readonly name: string | undefined
  /** The SQL passed to `statement`, or `undefined` if it is unknown without running the file. */
  readonly text: string | undefined
  /** True if built by `statement`, so that its values have names. */
  readonly isMade: boolean
}

const sqlVerb = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|LISTEN|LOCK|TRUNCATE)\b/

/**
 * Returns every statement in a file: each argument of `statement`, and every other object with a literal
 * `name` and a `text` that looks like SQL.
 *
 * @param load - Loads a module that the file imports by a relative path, because tables are defined in other
 *   files.
 */
export function findStatements(source: Source, load: LoadModule): FoundStatement[] {
  const scope = scopeOf(source, load)
  const made = new Set<Node>()
  const found: FoundStatement[] = []
  walk(source.body, (node) => {
    if (node.type === 'CallExpression' && isNode(node.callee) && node.callee.name === 'statement') {
      const [definition] = node.arguments as Node[]
      made.add(definition ?? node)
      if (definition?.type !== 'ObjectExpression')
        found.push({ ...placeOf(source, node), name: undefined, text: undefined, isMade: true })
    }
    if (node.type !== 'ObjectExpression') return
    const isMade = made.has(node)
    const literal = fieldOf(node, 'name')
    const name = literal?.type === 'Literal' ? readText(literal) : undefined
    if (!isMade && name === undefined) return
    const text = readText(fieldOf(node, 'text'))
    if (isMade || (name !== undefined && text !== undefined && sqlVerb.test(text)))
      found.push({ ...placeOf(source, node), name, text, isMade })
  })
  return found

  function readText(node: Node | undefined): string | undefined {
    const value = node && readValue(node, scope)
    return typeof value === 'string' ? value : undefined
  }
}

function placeOf({ path, text }: Source, node: Node) {
  return { path, line: lineAt(text, node.start) }
}

function fieldOf(object: Node, field: string): Node | undefined {
  for (const property of object.properties as Node[]) {
    const isIt = property.type === 'Property' && isNode(property.key) && property.key.name === field
    if (isIt && isNode(property.value)) return property.value
  }
  return undefined
}
