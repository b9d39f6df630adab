/**
 * Which module of the server is in which layer, the lowest first.
 *
 * A file imports from its own module or from a lower layer, and nothing else.
 */
export const layers: readonly (readonly string[])[] = [
  [],
  ['kernel'],
  ['platform'],
  ['chain', 'onramp'],
  ['merchants', 'pricing', 'audit'],
  ['access'],
  ['inventory', 'split', 'webhooks', 'shop', 'site', 'loyalty', 'images'],
  ['receipts'],
  ['orders', 'payments'],
  ['pages'],
  ['app', 'local'],
  ['run.ts'],
  ['serve.ts', 'build-service.ts', 'build-pages.ts'],
  ['main.ts', 'build.ts', 'demo.ts', 'pay.ts'],
  ['main-built.ts'],
]

/** The server's source folder. */
export const serverSource = 'apps/server/src/'

/** Where scripts of the browser lie: bundled for the page, never run by the server. */
export const islandsFolder = 'apps/server/src/pages/islands/'

/** What the contracts' package lets others import; the rest of it is compiler and measurements. */
const contractsWaysIn = [
  'contracts/abi/',
  'contracts/deployments/',
  'contracts/gas/relay-gas.ts',
  'contracts/tools/create2.ts',
]

/** A part of the repository that the rules know: `layer` is a number in the server, 0 below it. */
export type Place = {
  /** What its neighbours are told by: a folder of the server, or a package. */
  readonly name: string
  /** `undefined` outside the layers: tests, scripts, configuration. */
  readonly layer: number | undefined
}

/** Where a file belongs. A module that no layer names has the layer NaN. */
export function placeOf(path: string): Place {
  if (path.endsWith('.test.ts')) return { name: 'test', layer: undefined }
  if (path.startsWith('packages/protocol/src/')) return { name: 'protocol', layer: 0 }
  if (path.startsWith('packages/browser-wallet/src/')) return { name: 'browser-wallet', layer: 1 }
  if (contractsWaysIn.some((way) => path.startsWith(way))) return { name: 'contracts', layer: 0 }
  if (path.startsWith('packages/sdk/src/')) return { name: 'sdk', layer: 1 }
  if (path.startsWith(islandsFolder)) return { name: 'islands', layer: 1 }
  if (!path.startsWith(serverSource)) return { name: 'outside', layer: undefined }
  const name = path.slice(serverSource.length).split('/')[0] ?? ''
  const layer = layers.findIndex((names) => names.includes(name))
  return { name, layer: layer === -1 ? Number.NaN : layer }
}
