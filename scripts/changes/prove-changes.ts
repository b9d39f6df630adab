import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyTree, type Tree } from '../mutations/copy-tree.ts'
import { runCommand } from '../run/run-command.ts'
import type { Change, Edit } from './change.ts'

/** What an example came to. */
export type Proof = {
  readonly task: string
  /** The files touched, and how many there may be. */
  readonly files: readonly string[]
  readonly limit: number
  /** What a command wrote by itself. */
  readonly written: readonly string[]
  /** Whether the product had it before, and has it now. */
  readonly before: boolean
  readonly after: boolean
}

/** What the checks of the whole tree say once every example is in it; empty where all is well. */
export type Outcome = { readonly proofs: readonly Proof[]; readonly faults: readonly string[] }

/** What a tree has to pass with the changes in it: all that a machine can hold and a change could break. */
const parts = ['types', 'islands', 'imports', 'sql', 'env', 'size', 'sdk-types', 'failures', 'lists']

/**
 * Makes every change in one copy of the sources and looks whether each took: the checks pass, and the product
 * in the copy has it, which the one here has not.
 */
export async function proveChanges(changes: readonly Change[]): Promise<Outcome> {
  const tree = copyTree()
  try {
    const before = await look(tree)
    for (const change of changes) for (const edit of change.edits) apply(tree, edit)
    const writes = changes.flatMap((change) => change.writes ?? [])
    const read = (file: string) => readFileSync(join(tree.path, file), 'utf8')
    const old = new Map(writes.flatMap(({ files }) => files.map((file) => [file, read(file)])))
    const faults: string[] = []
    for (const command of new Set(writes.map(({ command }) => command)))
      faults.push(...(await run(tree, command)))
    for (const [file, text] of old) if (read(file) === text) faults.push(`no command wrote ${file}`)
    const after = await look(tree)
    faults.push(...(await run(tree, `node scripts/check.ts ${parts.join(' ')}`)))
    const proofs = changes.map(({ task, limit, edits, writes = [] }) => ({
      task,
      limit,
      files: edits.map(({ file }) => file),
      written: writes.flatMap(({ files }) => files),
      before: before.has(task),
      after: after.has(task),
    }))
    return { proofs, faults }
  } finally {
    tree.remove()
  }
}

/** The tasks whose examples are in the tree, as the tree's own program says. */
async function look(tree: Tree): Promise<ReadonlySet<string>> {
  const { exitCode, output } = await runCommand('node', ['scripts/changes.ts', '--look'], { cwd: tree.path })
  const line = output.trimEnd().split('\n').at(-1) ?? ''
  if (exitCode !== 0 || !line.startsWith('[')) throw new Error(`the copy cannot be looked at:\n${output}`)
  return new Set(JSON.parse(line) as string[])
}

async function run(tree: Tree, command: string): Promise<string[]> {
  const [program = '', ...args] = command.split(' ')
  const { exitCode, output } = await runCommand(program, args, { cwd: tree.path })
  return exitCode === 0 ? [] : [`${command}\n${output}`]
}

function apply(tree: Tree, edit: Edit): void {
  const path = join(tree.path, edit.file)
  if ('text' in edit) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, edit.text, { flag: 'wx' })
    return
  }
  let text = readFileSync(path, 'utf8')
  for (const [find, replacement] of edit.replace) {
    if (text.split(find).length !== 2) throw new Error(`${edit.file} does not have this once: ${find}`)
    text = text.replace(find, () => replacement)
  }
  writeFileSync(path, text)
}
