import { isNode, lineAt, type Node, type Source, walk } from '../source/parse-source.ts'

/** A statement object `{ name: '…', text: '…' }` of the server. */
export type FoundStatement = {
  readonly path: string
  readonly line: number
  readonly name: string
  /** The SQL, with texts put in from constants of the same file; other holes read `$hole`. */
  readonly text: string
}

const sqlVerb = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|LISTEN|LOCK|TRUNCATE)\b/

/** Every named statement of a file: an object of a literal `name` and a `text` that reads as SQL. */
export function findStatements(source: Source): FoundStatement[] {
  const constants = new Map<string, Node>()
  const found: FoundStatement[] = []
  walk(source.body, (node) => {
    if (node.type !== 'VariableDeclarator' || !isNode(node.id) || !isNode(node.init)) return
    if (node.id.type === 'Identifier') constants.set(node.id.name as string, node.init)
  })
  walk(source.body, (node) => {
    if (node.type !== 'ObjectExpression') return
    const name = fieldOf(node, 'name')
    const text = fieldOf(node, 'text')
    if (name?.type !== 'Literal' || typeof name.value !== 'string' || !text) return
    const sql = readText(text, constants, 0)
    if (sql !== undefined && sqlVerb.test(sql)) {
      found.push({ path: source.path, line: lineAt(source.text, node.start), name: name.value, text: sql })
    }
  })
  return found
}

function fieldOf(object: Node, field: string): Node | undefined {
  for (const property of object.properties as Node[]) {
    const isIt = property.type === 'Property' && isNode(property.key) && property.key.name === field
    if (isIt && isNode(property.value)) return property.value
  }
  return undefined
}

/** The text of an expression as far as the file itself tells it. */
function readText(node: Node, constants: ReadonlyMap<string, Node>, depth: number): string | undefined {
  if (depth > 8) return undefined
  const next = (value: unknown) => (isNode(value) ? readText(value, constants, depth + 1) : undefined)
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : undefined
    case 'TemplateLiteral': {
      const holes = (node.expressions as Node[]).map((hole) => next(hole) ?? '$hole')
      const parts = (node.quasis as Node[]).map((quasi) => (quasi.value as { cooked: string }).cooked)
      return parts.map((part, i) => part + (holes[i] ?? '')).join('')
    }
    case 'BinaryExpression':
      return node.operator === '+' ? `${next(node.left) ?? '$hole'}${next(node.right) ?? '$hole'}` : undefined
    case 'Identifier': {
      const constant = constants.get(node.name as string)
      return constant && next(constant)
    }
    case 'MemberExpression': {
      const object = isNode(node.object) && constants.get(node.object.name as string)
      const property = isNode(node.property) ? (node.property.name as string) : ''
      return object && object.type === 'ObjectExpression' ? next(fieldOf(object, property)) : undefined
    }
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return next(node.expression)
    default:
      return undefined
  }
}
