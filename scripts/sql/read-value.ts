import { isNode, type Node, type Source, walk } from '../source/parse-source.ts'

/** Loads a module that a file imports by a relative path. */
export type LoadModule = (specifier: string) => Readonly<Record<string, unknown>>

/** Returns the value of a name. */
export type Scope = (name: string) => unknown

const deepest = 40

/** Files whose functions may be called: they only define tables and columns. */
const holdsDefinitions = /(^|[/-])(table|columns)\.ts$/

/** Returns the values of a file's constants and of its relative imports. Other names are `undefined`. */
export function scopeOf(source: Source, load: LoadModule): Scope {
  const constants = new Map<string, Node>()
  walk(source.body, (node) => {
    if (node.type !== 'VariableDeclarator' || !isNode(node.id) || !isNode(node.init)) return
    if (node.id.type === 'Identifier') constants.set(node.id.name as string, node.init)
  })
  const imported = new Map<string, { specifier: string; name: string }>()
  for (const node of source.body) {
    if (node.type !== 'ImportDeclaration' || !isNode(node.source)) continue
    const specifier = node.source.value as string
    if (!specifier.startsWith('.')) continue
    for (const { imported: from, local } of node.specifiers as Node[]) {
      if (isNode(from) && isNode(local))
        imported.set(local.name as string, { specifier, name: from.name as string })
    }
  }
  const readImported = ({ specifier, name }: { specifier: string; name: string }) => {
    if (!holdsDefinitions.test(specifier)) {
      const value = load(specifier)[name]
      return typeof value === 'function' ? undefined : value
    }
    return load(specifier)[name]
  }
  let depth = 0
  const scope: Scope = (name) => {
    const constant = constants.get(name)
    const from = imported.get(name)
    if (!constant) return from && readImported(from)
    if (depth >= deepest) return undefined
    depth++
    try {
      return readValue(constant, scope)
    } finally {
      depth--
    }
  }
  return scope
}

/**
 * Evaluates an expression from constants, imported values and calls of either, without running the file.
 * Returns `undefined` if these are not enough.
 */
export function readValue(node: Node, scope: Scope): unknown {
  switch (node.type) {
    case 'Literal':
      return node.value
    case 'TemplateLiteral':
      return readTemplate(node, scope)
    case 'BinaryExpression': {
      const parts = [node.left, node.right].map((side) => readValue(side as Node, scope))
      return node.operator === '+' && parts.every((part) => typeof part === 'string')
        ? parts.join('')
        : undefined
    }
    case 'ArrayExpression':
      return (node.elements as Node[]).map((element) => readValue(element, scope))
    case 'ObjectExpression':
      return readObject(node, scope)
    case 'Identifier':
      return scope(node.name as string)
    case 'MemberExpression': {
      const object = readValue(node.object as Node, scope)
      const name = (node.property as Node).name as string
      return isObject(object) && !node.computed ? object[name] : undefined
    }
    case 'ArrowFunctionExpression':
      return readArrow(node, scope)
    case 'CallExpression': {
      const call = (node.callee as Node).type === 'Identifier' && readValue(node.callee as Node, scope)
      if (typeof call !== 'function') return undefined
      return call(...(node.arguments as Node[]).map((argument) => readValue(argument, scope)))
    }
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSInstantiationExpression':
      return readValue(node.expression as Node, scope)
    default:
      return undefined
  }
}

function readTemplate(node: Node, scope: Scope): string | undefined {
  const holes = (node.expressions as Node[]).map((hole) => readValue(hole, scope))
  const parts = (node.quasis as Node[]).map((quasi) => (quasi.value as { cooked: string }).cooked)
  if (holes.some((hole) => typeof hole !== 'string' && typeof hole !== 'number')) return undefined
  return parts.map((part, i) => part + (holes[i] ?? '')).join('')
}

function readObject(node: Node, scope: Scope): Record<string, unknown> {
  const properties = (node.properties as Node[]).filter(({ type }) => type === 'Property')
  return Object.fromEntries(
    properties.map(({ key, value }) => [(key as Node).name as string, readValue(value as Node, scope)]),
  )
}

function readArrow(node: Node, scope: Scope): unknown {
  const names = (node.params as Node[]).map(({ name }) => name)
  const body = node.body as Node
  if (body.type === 'BlockStatement') return undefined
  return (...given: readonly unknown[]) =>
    readValue(body, (name) => (names.includes(name) ? given[names.indexOf(name)] : scope(name)))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
