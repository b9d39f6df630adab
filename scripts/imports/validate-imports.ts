import type { CheckError } from '../source/check-error.ts'
import type { ImportMention, Source } from '../source/parse-source.ts'
import { layers, type Place, placeOf, resolveImport, serverSource } from './layers.ts'

const pagesLayer = layers.findIndex((names) => names.includes('pages'))
const pureNodePackages = /^(typebox|viem)(\/|$)/

/** Root file of all background work, which runs without a request. */
const background = `${serverSource}app/jobs.ts`
const requestless = new RegExp(`^${serverSource}(platform|chain|audit)/`)
const apiError = `${serverSource}kernel/api-error.ts`

/**
 * Finds imports that violate the layers. Rules, by the name in each error:
 *
 * - `upward`: a server file imports from a higher layer or from another module in its own layer.
 * - `inside`: a file imports from a higher folder of its own module.
 * - `unknown-folder`: a folder is in no layer, or is missing from the order of its module's folders.
 * - `pure`: the protocol imports Node.js, a package that does input or output, or another workspace.
 * - `browser`: a page's island imports server code, or the server runs an island's code.
 * - `way-in`: another workspace is imported by a relative path, or a package imports the server.
 * - `rejection`: background work, or a module independent of requests, imports the API's error responses.
 */
export function validateImports(sources: readonly Source[]): CheckError[] {
  const reached = reachedFrom(background, sources)
  return sources.flatMap((source) => {
    const { path, imports } = source
    const place = placeOf(path)
    const at = (line: number, rule: string, message: string): CheckError => ({ path, line, rule, message })
    const errors = imports.flatMap((mention) => {
      const [rule, message] = evaluateOne(source, place, mention) ?? []
      return rule && message ? [at(mention.line, rule, message)] : []
    })
    if (Number.isNaN(place.layer) || Number.isNaN(place.height))
      errors.push(at(1, 'unknown-folder', 'its folder stands in no list of scripts/imports/layers.ts'))
    const mention = imports.find(({ specifier }) => resolveImport(path, specifier) === apiError)
    const way = reached.get(path)
    if (mention && place.name !== 'test' && (way || requestless.test(path))) {
      const why = way
        ? `a job reaches this file: ${way.join(' → ')}`
        : 'this module knows nothing of requests'
      errors.push(at(mention.line, 'api-error', `${why}; throw an Outage, or an error of the module's own`))
    }
    return errors
  })
}

/** Returns the rule that an import violates and the reason, or `undefined`. */
function evaluateOne(
  { path }: Source,
  place: Place,
  { specifier, isType }: ImportMention,
): readonly [string, string] | undefined {
  const target = resolveImport(path, specifier)
  if (!target) {
    const isImpure = place.name === 'protocol' && !pureNodePackages.test(specifier)
    return isImpure ? ['pure', `the protocol is pure and must not import '${specifier}'`] : undefined
  }
  const to = placeOf(target)
  if (specifier.startsWith('.') && place.layer !== undefined && isCrossing(place, to))
    return ['way-in', `'${specifier}' leaves its workspace; import it by the workspace's name`]
  if (place.name === to.name)
    return to.height > place.height
      ? ['inside', `'${specifier}' stands in a higher folder of ${place.name}`]
      : undefined
  if (place.name === 'sluice' && !/^(sdk|protocol)$/.test(to.name))
    return ['way-in', 'the published command line uses the client package and the protocol only']
  if (place.layer === undefined) return undefined
  if (place.name === 'protocol') return ['pure', `the protocol must not import '${specifier}'`]
  if (place.name === 'islands') {
    const isFine = /^(protocol|browser-wallet)$/.test(to.name) || (to.name === 'pages' && isType)
    return isFine ? undefined : ['browser', `an island must not import '${specifier}', which is the server's`]
  }
  if (to.name === 'islands' || to.name === 'browser-wallet')
    return place.layer === pagesLayer && isType
      ? undefined
      : ['browser', `'${specifier}' runs in the browser`]
  if (to.layer === undefined) return ['way-in', `'${specifier}' is not a module of the server`]
  if (to.name === 'sdk') return ['way-in', 'the client package is for outsiders']
  if (place.name === 'sdk' && to.layer > 0) return ['way-in', `'${specifier}' is the server's`]
  if (to.layer < place.layer) return undefined
  return ['upward', `${place.name} (layer ${place.layer}) may not import ${to.name} (layer ${to.layer})`]
}

/** Returns whether an import crosses workspaces. */
function isCrossing(from: Place, to: Place): boolean {
  const workspace = ({ name }: Place) => (['protocol', 'sdk', 'contracts'].includes(name) ? name : 'server')
  return workspace(from) !== workspace(to) && to.layer !== undefined
}

/** Returns each file that `start` imports, directly or not, with the shortest import path. */
function reachedFrom(start: string, sources: readonly Source[]): Map<string, readonly string[]> {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const ways = new Map<string, readonly string[]>([[start, [start.slice(serverSource.length)]]])
  for (const [path, way] of ways)
    for (const { specifier, isType } of byPath.get(path)?.imports ?? []) {
      const next = resolveImport(path, specifier)
      if (isType || !next?.startsWith(serverSource) || ways.has(next)) continue
      ways.set(next, [...way, next.slice(serverSource.length)])
    }
  return ways
}
