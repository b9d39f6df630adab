import type { Fault } from '../source/fault.ts'
import type { ImportMention, Source } from '../source/parse-source.ts'
import { placeInside } from './folder-order.ts'
import { layers, type Place, placeOf } from './layers.ts'
import { resolveImport } from './resolve-import.ts'

const pagesLayer = layers.findIndex((names) => names.includes('pages'))
const pureNodePackages = /^(typebox|viem)(\/|$)/

/**
 * Where imports break the layers. Rules, by the name each fault carries:
 *
 * - `upward`: a server file imports from a higher layer or from a neighbor in its own layer.
 * - `inside`: a file imports from a higher folder of its own module.
 * - `unknown-folder`: a folder is in no layer, or not in the order of its module's folders.
 * - `pure`: the protocol imports Node, a package with input or output, or another workspace.
 * - `browser`: a page's island imports server code, or the server runs an island's code.
 * - `way-in`: a workspace is imported by a relative path, or something imports the server.
 * - `name`: a file is called `index.ts`.
 */
export function judgeImports(sources: readonly Source[]): Fault[] {
  return sources.flatMap((source) => {
    const place = placeOf(source.path)
    const faults = source.imports.flatMap((it) => judgeOne(source, place, it))
    if (/(^|\/)index\.ts$/.test(source.path))
      faults.push(fault(source, 1, 'name', 'a file is named after what it holds, never index.ts'))
    if (Number.isNaN(place.layer)) {
      faults.push(
        fault(source, 1, 'unknown-folder', `${place.name} is not in a layer of scripts/imports/layers.ts`),
      )
    }
    const inner = placeInside(source.path)
    if (inner && Number.isNaN(inner.height)) {
      const message = `${inner.module} has no folder ${inner.name} of this depth in scripts/imports/folder-order.ts`
      faults.push(fault(source, 1, 'unknown-folder', message))
    }
    return faults
  })
}

function judgeOne(source: Source, place: Place, mention: ImportMention): Fault[] {
  const { specifier, line } = mention
  const at = (rule: string, message: string) => [fault(source, line, rule, message)]
  const target = resolveImport(source.path, specifier)
  if (!target) {
    const isImpure = place.name === 'protocol' && !pureNodePackages.test(specifier)
    return isImpure ? at('pure', `the protocol is pure and must not import '${specifier}'`) : []
  }
  const inside = judgeOrder(source, mention, target)
  if (place.layer === undefined) return inside

  const to = placeOf(target)
  if (specifier.startsWith('.') && isCrossing(place, to))
    return at('way-in', `'${specifier}' leaves its workspace; import it by the workspace's name`)
  if (place.name === to.name) return inside
  if (place.name === 'protocol') return at('pure', `the protocol must not import '${specifier}'`)
  if (place.name === 'islands') {
    const isFine =
      to.name === 'protocol' || to.name === 'browser-wallet' || (to.name === 'pages' && mention.isType)
    return isFine ? [] : at('browser', `an island must not import '${specifier}', which is the server's`)
  }
  if (to.name === 'islands' || to.name === 'browser-wallet') {
    const isFine = place.layer === pagesLayer && mention.isType
    return isFine ? [] : at('browser', `'${specifier}' runs in the browser`)
  }
  if (to.layer === undefined) return at('way-in', `'${specifier}' is not a module of the server`)
  if (to.name === 'sdk') return at('way-in', 'the client package is for outsiders')
  if (place.name === 'sdk' && to.layer > 0) return at('way-in', `'${specifier}' is the server's`)
  if (to.layer < place.layer) return []
  const why = to.layer === place.layer ? 'its neighbor in the same layer' : `layer ${to.layer}, above it`
  return at('upward', `${place.name} (layer ${place.layer}) may not import ${to.name}, ${why}`)
}

/** Where an import goes up within one module. */
function judgeOrder(source: Source, mention: ImportMention, target: string): Fault[] {
  const from = placeInside(source.path)
  const to = placeInside(target)
  if (!from || !to || from.module !== to.module || !(to.height > from.height)) return []
  const message = `${from.module}/${from.name} may not import ${to.name}, which stands above it`
  return [fault(source, mention.line, 'inside', message)]
}

/** Whether an import goes from one workspace into another. */
function isCrossing(from: Place, to: Place): boolean {
  const workspace = ({ name }: Place) => (['protocol', 'sdk', 'contracts'].includes(name) ? name : 'server')
  return workspace(from) !== workspace(to) && to.layer !== undefined
}

function fault(source: Source, line: number, rule: string, message: string): Fault {
  return { path: source.path, line, rule, message }
}
