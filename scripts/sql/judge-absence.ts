import type { Fault } from '../source/fault.ts'
import { isNode, lineAt, type Node, type Source, walk } from '../source/parse-source.ts'

/**
 * Where a file whose statements have `reads` compares something with `null` (rule `absence`). What is `NULL` in the
 * database is `undefined` in a row that is read by its columns, so that such a comparison says the same of every
 * row; the compiler lets it pass. `== null` means both and is allowed.
 */
export function judgeAbsence(source: Source): Fault[] {
  const compared: Node[] = []
  let readsRows = false
  walk(source.body, (node) => {
    if (isReading(node)) readsRows = true
    if (isCompared(node)) compared.push(node)
  })
  if (!readsRows) return []
  return compared.map(({ start, end }) => ({
    path: source.path,
    line: lineAt(source.text, start),
    rule: 'absence',
    message: `'${source.text.slice(start, end)}': what is NULL in the database is undefined in a row`,
  }))
}

/** `statement({ …, reads: … })` */
function isReading(node: Node): boolean {
  if (node.type !== 'CallExpression' || !isNode(node.callee) || node.callee.name !== 'statement') return false
  const [definition] = node.arguments as Node[]
  if (definition?.type !== 'ObjectExpression') return false
  return (definition.properties as Node[]).some(({ key }) => isNode(key) && key.name === 'reads')
}

function isCompared(node: Node): boolean {
  if (node.type !== 'BinaryExpression' || !['===', '!=='].includes(node.operator as string)) return false
  return [node.left, node.right].some(
    (side) => isNode(side) && side.type === 'Literal' && side.raw === 'null',
  )
}
