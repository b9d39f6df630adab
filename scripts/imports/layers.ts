import { posix } from 'node:path'

/** The server's source folder. */
export const serverSource = 'apps/server/src/'

/** Folder of the browser scripts: bundled for the page, never run by the server. */
export const islandsFolder = 'apps/server/src/pages/islands/'

const words = (text: string) => text.split(' ')

/** The server's modules in each layer, from the lowest. Layer 0 contains the protocol and the contracts. */
export const layers: readonly (readonly string[])[] = [
  '',
  'kernel',
  'platform',
  'chain onramp',
  'merchants pricing audit',
  'access',
  'inventory split webhooks shop site loyalty images',
  'receipts',
  'orders payments',
  'pages',
  'app local',
  'run.ts',
  'serve.ts build-service.ts',
  'main.ts build.ts demo.ts pay.ts',
].map(words)

/**
 * The folders of each module, from the lowest. `.` means the files directly in the module; a name with an
 * extension is one such file with its own height. Modules without an order have no folders.
 */
const orders: Readonly<Record<string, string>> = {
  kernel: '. text turns',
  platform:
    'settings . cache process database/sharing database database/opening database/joining cluster jobs postgres outbound journal tracing',
  chain: '. rpc transactions',
  pricing: 'rates taxes .',
  access:
    '. audit settings limits idempotency sessions keys guard invitation-routes.ts team-routes.ts prune-access.ts',
  split: '. ledger distributing setup versions routes.ts',
  webhooks: '. feed stream delivery endpoint-tester routes.ts',
  receipts: '. finding counting refunds viewing making managing routes.ts',
  payments:
    'attempts cursors ledger settlement sweeping indexer recovery reconciliation distributions comparison relaying checkout x402 cards tracking refunds claims inbox',
  onramp: 'provider.ts stripe sandbox .',
  pages:
    'messages theme html images embed pdf panels live receipt claim sandbox site cart store preview programs guides . islands/page islands/wallet islands styles',
  app: 'http/concurrency http openapi probes secrets dashboard .',
  local: '. demo',
  cli: 'operator database doctor audit contracts secrets recovery commands.ts program.ts main.ts',
  sluice: '. receipt order product event webhook sandbox commands.ts main.ts',
}

const workspaces: Readonly<Record<string, string>> = {
  '@sluice/protocol/': 'packages/protocol/src/',
  '@sluice/browser-wallet/': 'packages/browser-wallet/src/',
  '@sluice/contracts/': 'contracts/',
  '@sluice/server/': 'apps/server/',
}

/** Files of the contracts package that others may import. The rest is build tools and measurements. */
const contractsWaysIn = /^contracts\/(abi\/|deployments\/|gas\/relay-gas\.ts|tools\/create2\.ts)/

/** The position of a file in the layers. Packages below the server have layer 0 or 1. */
export type Place = {
  /** Name of the server module or the package. */
  readonly name: string
  /** `undefined` outside the layers: tests, scripts, configuration. NaN if no layer contains the module. */
  readonly layer: number | undefined
  /** Height of the file's folder in its module. NaN if the module's order does not contain the folder. */
  readonly height: number
}

/**
 * Returns the path of an imported file in this repository, or `undefined` for a package or a Node.js module.
 */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier))
  const prefix = Object.keys(workspaces).find((each) => specifier.startsWith(each))
  return prefix && `${workspaces[prefix]}${specifier.slice(prefix.length)}`
}

/** Returns the position of a file in the layers. */
export function placeOf(path: string): Place {
  const place = (name: string, layer: number | undefined, inside = '') => {
    return { name, layer, height: heightOf(name, inside) }
  }
  if (path.endsWith('.test.ts')) return place('test', undefined)
  if (path.startsWith('packages/protocol/src/')) return place('protocol', 0)
  if (path.startsWith('packages/browser-wallet/src/')) return place('browser-wallet', 1)
  if (contractsWaysIn.test(path)) return place('contracts', 0)
  if (path.startsWith('packages/sdk/src/')) return place('sdk', 1)
  if (path.startsWith('packages/cli/src/'))
    return place('sluice', undefined, path.slice('packages/cli/src/'.length))
  if (path.startsWith('apps/cli/src/')) return place('cli', undefined, path.slice('apps/cli/src/'.length))
  if (!path.startsWith(serverSource)) return place('outside', undefined)
  const [module = '', ...inside] = path.slice(serverSource.length).split('/')
  const height = heightOf(module, inside.join('/'))
  if (path.startsWith(islandsFolder)) return { name: 'islands', layer: 1, height }
  const layer = layers.findIndex((names) => names.includes(module))
  return { name: module, layer: layer === -1 ? Number.NaN : layer, height }
}

function heightOf(module: string, inside: string): number {
  const order = words(orders[module] ?? '.')
  const folder = inside.includes('/') ? posix.dirname(inside) : order.includes(inside) ? inside : '.'
  const height = order.indexOf(folder)
  return height === -1 ? Number.NaN : height
}
