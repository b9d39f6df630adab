import { isNode, type Node, parseSource, walk } from '../source/parse-source.ts'

/** What a screen of the web app keeps of the API, and under which key. */
export type CachedQuery = {
  readonly file: string
  /** Texts as they are; `undefined` for what is known only when the app runs. */
  readonly key: readonly (string | undefined)[]
  /** Page by page where it is infinite, and what is asked: screens that agree in both read one another's answers. */
  readonly content: string
}

/** The queries of a file of the web app. */
export function findQueries(file: string, text: string): CachedQuery[] {
  const found: CachedQuery[] = []
  walk(parseSource(file, text).body, (node, parent) => {
    const fields = fieldsOf(node)
    const [key, work] = [fields.get('queryKey'), fields.get('queryFn')]
    if (key?.type !== 'ArrayExpression' || !work || !Array.isArray(key.elements)) return
    const source = text.slice(work.start, work.end)
    const paths = [...source.matchAll(/'(\/api\/[^']*)'/g)].map(([, path]) => path)
    const hook = isNode(parent) && isNode(parent.callee) ? `${parent.callee.name}` : ''
    found.push({
      file,
      key: key.elements.map(textOf),
      content: [hook === 'useInfiniteQuery' ? 'pages' : 'one', ...(paths.length > 0 ? paths : [source])].join(
        ' ',
      ),
    })
  })
  return found
}

/** Whether two keys may be one when the app runs. */
export function canBeOne(a: CachedQuery['key'], b: CachedQuery['key']): boolean {
  const isSame = (part: string | undefined, i: number) =>
    part === undefined || b[i] === undefined || part === b[i]
  return a.length === b.length && a.every(isSame)
}

function fieldsOf(node: Node): ReadonlyMap<string, Node> {
  const fields = new Map<string, Node>()
  if (node.type !== 'ObjectExpression' || !Array.isArray(node.properties)) return fields
  for (const { key, value } of node.properties as Node[])
    if (isNode(key) && isNode(value)) fields.set(`${key.name}`, value)
  return fields
}

/** An object is never the same as a text, and is given as what it holds. */
function textOf(element: Node): string | undefined {
  if (element.type === 'Literal') return `${element.value}`
  return element.type === 'ObjectExpression' ? '{}' : undefined
}
