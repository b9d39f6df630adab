import type { Fault } from '../source/fault.ts'
import { isNode, lineAt, type Node, type Source, walk } from '../source/parse-source.ts'

/** The test of a row, as it stands in a test file. */
export type RowTest = {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly line: number
}

/**
 * The calls of `row(id, name, check)` in a test file.
 *
 * They are read, not run: a call whose id or name is no plain text is a fault (`unreadable`), since it would be
 * missing from the document.
 */
export function findRowTests({ path, text, body }: Source): { tests: RowTest[]; faults: Fault[] } {
  const tests: RowTest[] = []
  const faults: Fault[] = []
  walk(body, (node) => {
    if (node.type !== 'CallExpression' || !isNamed(node.callee, 'row')) return
    const line = lineAt(text, node.start)
    const [id, name] = (node.arguments as Node[]).map(textOf)
    if (id !== undefined && name !== undefined) tests.push({ id, name, path, line })
    else faults.push({ path, line, rule: 'unreadable', message: "a row's id and name are plain texts" })
  })
  return { tests, faults }
}

function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node.name === name
}

function textOf(node: Node): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}
