import type { Fault } from '../source/fault.ts'
import { isNode, lineAt, type Node, type Source, walk } from '../source/parse-source.ts'
import { findInnerDoors } from './find-inner-doors.ts'

/** The test of a row, as it stands in a test file. */
export type RowTest = {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly line: number
  /** It reaches what it looks at by a door of the test's own, not over HTTP and the chain alone. */
  readonly isInner: boolean
  /** What its sentence waits for: the test holds only what is there so far. */
  readonly waitsFor: string | undefined
}

/**
 * The calls of `row(id, name, check)` and `waitingRow(id, waitsFor, name, check)` in a test file.
 *
 * They are read, not run: a call whose id or name is no plain text is a fault (`unreadable`), since it would be
 * missing from the document.
 */
export function findRowTests(source: Source): { tests: RowTest[]; faults: Fault[] } {
  const { path, text, body } = source
  const isInner = findInnerDoors(source)
  const tests: RowTest[] = []
  const faults: Fault[] = []
  walk(body, (node) => {
    if (node.type !== 'CallExpression') return
    const called = ['row', 'waitingRow'].find((each) => isNamed(node.callee, each))
    if (called === undefined) return
    const line = lineAt(text, node.start)
    const args = node.arguments as Node[]
    const waitsFor = called === 'row' ? undefined : textOf(args[1])
    const [id, name] = [args[0], args.at(-2)].map(textOf)
    const check = args.at(-1)
    if (id !== undefined && name !== undefined && (called !== 'waitingRow' || waitsFor !== undefined))
      tests.push({ id, name, path, line, isInner: check !== undefined && isInner(check), waitsFor })
    else faults.push({ path, line, rule: 'unreadable', message: "a row's id and name are plain texts" })
  })
  return { tests, faults }
}

function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node.name === name
}

function textOf(node: Node | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}
