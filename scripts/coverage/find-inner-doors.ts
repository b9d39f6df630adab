import { isNode, type Node, type Source, walk } from '../source/parse-source.ts'

/** Folders of the server whose functions do nothing by themselves that a request or the chain should bring about. */
const outerFolders = ['kernel', 'platform', 'chain', 'onramp', 'audit', 'access', 'pages', 'app', 'local']

/** The rest: what a test imports of them reaches past HTTP and the chain. */
const innerModules = new RegExp(`/src/(?!(?:${outerFolders.join('|')})/)[a-z-]+/(?:[\\w-]+/)*[\\w-]+\\.ts$`)

/** Members by which a test goes past HTTP: the database behind the API, and a status moved by hand. */
const innerMembers = new Set(['needs', 'move'])

/**
 * Says of a piece of a test file whether it, or anything of the file that it calls, goes through an inner door. What
 * runs before every test of the file counts for each of them. Setting up merchants, keys and a split is no such door:
 * no row is about what the support files do for that.
 */
export function findInnerDoors({ body, imports }: Source): (node: Node) => boolean {
  const inner = new Set(
    imports.filter((each) => !each.isType && innerModules.test(each.specifier)).flatMap(({ names }) => names),
  )
  const declared = new Map(body.flatMap(declarationsOf))
  const isInner = (start: Node, seen = new Set<string>()): boolean => {
    let found = false
    walk([start], (node) => {
      if (found) return
      const { property } = node
      if (node.type === 'MemberExpression' && isNode(property) && innerMembers.has(`${property.name}`))
        found = true
      if (node.type !== 'Identifier') return
      const name = `${node.name}`
      if (inner.has(name)) found = true
      const own = declared.get(name)
      if (!own || seen.has(name)) return
      seen.add(name)
      if (isInner(own, seen)) found = true
    })
    return found
  }
  const isAlwaysInner = body.filter(isBefore).some((node) => isInner(node))
  return (node) => isAlwaysInner || isInner(node)
}

function declarationsOf(node: Node): [string, Node][] {
  const { id, declarations } = node as { id?: unknown; declarations?: readonly Node[] }
  if (node.type === 'FunctionDeclaration' && isNode(id)) return [[`${id.name}`, node]]
  if (node.type !== 'VariableDeclaration') return []
  return (declarations ?? []).flatMap((each) =>
    isNode(each.id) && each.id.type === 'Identifier' ? [[`${each.id.name}`, each] as [string, Node]] : [],
  )
}

/** Whether it runs before the tests: a hook, or what `perFile` starts, in a constant or for itself. */
function isBefore({ type, expression, declarations }: Node): boolean {
  const called =
    type === 'VariableDeclaration' ? (declarations as readonly Node[]).map(({ init }) => init) : [expression]
  return called.some(
    (each) =>
      isNode(each) &&
      isNode(each.callee) &&
      ['beforeAll', 'beforeEach', 'perFile'].includes(`${each.callee.name}`),
  )
}
