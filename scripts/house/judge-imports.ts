import type { Fault } from '../source/fault.ts'
import type { ImportMention, Source } from '../source/parse-source.ts'
import { layers, type Place, placeOf } from './layers.ts'
import { resolveImport } from './resolve-import.ts'
import { roomOf } from './rooms.ts'

const pagesLayer = layers.findIndex((names) => names.includes('pages'))
const pureNodePackages = /^(typebox|viem)(\/|$)/

/**
 * Where imports break the house. Rules, by the name each fault carries:
 *
 * - `upward`: a server file imports from a higher floor or from a neighbour on its own floor.
 * - `inside`: a file imports from a higher room of its own module.
 * - `unknown-folder`: a folder stands on no floor, or in no order of its module's rooms.
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
    if (Number.isNaN(place.floor)) {
      faults.push(
        fault(source, 1, 'unknown-folder', `${place.name} is not in a layer of scripts/house/layers.ts`),
      )
    }
    const room = roomOf(source.path)
    if (room && Number.isNaN(room.height)) {
      const message = `${room.module} has no room ${room.name} of this depth in scripts/house/rooms.ts`
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
  const inside = judgeRooms(source, mention, target)
  if (place.floor === undefined) return inside

  const to = placeOf(target)
  if (specifier.startsWith('.') && isCrossing(place, to))
    return at('way-in', `'${specifier}' leaves its workspace; import it by the workspace's name`)
  if (place.name === to.name) return inside
  if (place.name === 'protocol') return at('pure', `the protocol must not import '${specifier}'`)
  if (place.name === 'islands') {
    const isFine = to.name === 'protocol' || (to.name === 'pages' && mention.isType)
    return isFine ? [] : at('browser', `an island must not import '${specifier}', which is the server's`)
  }
  if (to.name === 'islands') {
    const isFine = place.floor === pagesLayer && mention.isType
    return isFine ? [] : at('browser', `'${specifier}' runs in the browser`)
  }
  if (to.floor === undefined) return at('way-in', `'${specifier}' is not a module of the server`)
  if (to.name === 'sdk') return at('way-in', 'the client package is for outsiders')
  if (place.name === 'sdk' && to.floor > 0) return at('way-in', `'${specifier}' is the server's`)
  if (to.floor < place.floor) return []
  const why = to.floor === place.floor ? 'its neighbour in the same layer' : `floor ${to.floor}, above it`
  return at('upward', `${place.name} (floor ${place.floor}) may not import ${to.name}, ${why}`)
}

/** Where an import goes up within one module. */
function judgeRooms(source: Source, mention: ImportMention, target: string): Fault[] {
  const from = roomOf(source.path)
  const to = roomOf(target)
  if (!from || !to || from.module !== to.module || !(to.height > from.height)) return []
  const message = `${from.module}/${from.name} may not import ${to.name}, which stands above it`
  return [fault(source, mention.line, 'inside', message)]
}

/** Whether an import goes from one workspace into another. */
function isCrossing(from: Place, to: Place): boolean {
  const workspace = ({ name }: Place) => (['protocol', 'sdk', 'contracts'].includes(name) ? name : 'server')
  return workspace(from) !== workspace(to) && to.floor !== undefined
}

function fault(source: Source, line: number, rule: string, message: string): Fault {
  return { path: source.path, line, rule, message }
}
