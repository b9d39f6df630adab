import type { Fault } from '../source/fault.ts'
import { isNode, lineAt, type Node, type Source, walk } from '../source/parse-source.ts'
import { islandsFolder, serverSource } from './floors.ts'

const bareNames = new Set(['fetch', 'setTimeout', 'setInterval', 'setImmediate'])
const members: Readonly<Record<string, ReadonlySet<string>>> = {
  Date: new Set(['now']),
  Math: new Set(['random']),
  performance: new Set(['now', 'timeOrigin']),
  process: new Set(['env', 'hrtime']),
  crypto: new Set(['getRandomValues', 'randomUUID', 'randomBytes']),
  globalThis: new Set(['fetch', 'setTimeout', 'setInterval', 'setImmediate']),
}
const chanceNames = new Set(['randomBytes', 'randomUUID', 'randomInt', 'randomFill', 'randomFillSync'])
const worldModules = /^(node:)?timers(\/promises)?$|^undici$/

/** Folders whose work it is to touch the world. */
const seamFolders = ['kernel/', 'platform/'].map((folder) => serverSource + folder)

/** Programs that a person starts: they hand the environment to `platform/settings/config.ts`. */
const programs = new Set([
  ...['main.ts', 'demo.ts', 'pay.ts'].map((path) => serverSource + path),
  'apps/cli/src/main.ts',
])

/** Programs for people, and what they are made of: of the world only the environment is kept from them. */
const clientFolders = ['apps/cli/src/', 'packages/sdk/src/']

/**
 * Time, chance, timers, the network and the environment outside the folders that may touch
 * them, under the rule `seam`. Everything else gets a clock, a random source, an outbound
 * client and a configuration, so that the whole server can run on simulated ones.
 */
export function judgeSeams(sources: readonly Source[]): Fault[] {
  return [
    ...sources.filter((source) => isHeld(source.path)).flatMap(judgeOne),
    ...sources
      .filter(({ path }) => !path.endsWith('.test.ts') && clientFolders.some((it) => path.startsWith(it)))
      .flatMap(judgeOne)
      .filter(({ message }) => message.startsWith('process.env')),
  ]
}

function isHeld(path: string): boolean {
  if (path.endsWith('.test.ts') || path.startsWith(islandsFolder)) return false
  if (path.startsWith('packages/protocol/src/')) return true
  return path.startsWith(serverSource) && !seamFolders.some((folder) => path.startsWith(folder))
}

function judgeOne(source: Source): Fault[] {
  const faults: Fault[] = []
  const report = (line: number, what: string, instead: string) => {
    const message = `${what} outside kernel/ and platform/: ${instead}`
    if (!faults.some((known) => known.line === line && known.message === message))
      faults.push({ path: source.path, line, rule: 'seam', message })
  }
  for (const { specifier, names, line, isType } of source.imports) {
    if (isType) continue
    if (worldModules.test(specifier)) report(line, specifier, insteadOf(specifier))
    for (const name of names) if (chanceNames.has(name)) report(line, name, insteadOf(name))
  }
  walk(source.body, (node, parent) => {
    const what = touchedBy(node, parent)
    if (!what || (what === 'process.env' && programs.has(source.path))) return
    report(lineAt(source.text, node.start), what, insteadOf(what))
  })
  return faults
}

/** What of the world a node touches, as it would be written. */
function touchedBy(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === 'MemberExpression') {
    const object = nameOf(node.object)
    const property = nameOf(node.property)
    if (!object || !property || node.computed === true) return undefined
    return members[object]?.has(property) ? `${object}.${property}` : undefined
  }
  const isDateCall = node.type === 'CallExpression' || node.type === 'NewExpression'
  if (isDateCall && nameOf(node.callee) === 'Date') {
    const isEmpty = Array.isArray(node.arguments) && node.arguments.length === 0
    return isEmpty ? 'new Date()' : undefined
  }
  const name = nameOf(node)
  if (!name || !bareNames.has(name) || !parent) return undefined
  return isOwnName(node, parent) ? undefined : name
}

/** Whether an identifier names a member, a field or a type of ours and not the global. */
function isOwnName(node: Node, parent: Node): boolean {
  if (parent.type.startsWith('TS') || parent.type.startsWith('Import')) return true
  if (parent.type === 'MemberExpression') return parent.property === node
  const isNamed = ['Property', 'PropertyDefinition', 'MethodDefinition'].includes(parent.type)
  return isNamed && parent.key === node && parent.shorthand !== true
}

function nameOf(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Identifier' ? (value.name as string) : undefined
}

function insteadOf(what: string): string {
  if (/Date|performance|hrtime/.test(what)) return "take the time from the needs' clock"
  if (/set[TI]|timers/.test(what)) return 'use clock.after or wait(clock, …)'
  if (/env/.test(what)) return 'read platform/settings/config.ts'
  if (/fetch|undici/.test(what)) return 'use the outbound client of platform/'
  return "take chance from the needs' random"
}
