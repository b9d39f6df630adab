import { posix } from 'node:path'

/** The server's source folder. */
export const serverSource = 'apps/server/src/'

/** Where scripts of the browser lie: bundled for the page, never run by the server. */
export const islandsFolder = 'apps/server/src/pages/islands/'

const words = (text: string) => text.split(' ')

/** Which module of the server is in which layer, the lowest first; 0 is the protocol and the contracts. */
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
 * The folders of a module, the lowest first. `.` stands for the files beside the folders; a name with an extension is
 * one such file with a place of its own. A module without an order has no folders.
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

/** What the contracts' package lets others import; the rest of it is compiler and measurements. */
const contractsWaysIn = /^contracts\/(abi\/|deployments\/|gas\/relay-gas\.ts|tools\/create2\.ts)/

/** A part of the repository that the rules know: `layer` is a number in the server, 0 or 1 below it. */
export type Place = {
  /** What its neighbours are told by: a folder of the server, or a package. */
  readonly name: string
  /** `undefined` outside the layers: tests, scripts, configuration. NaN where no layer names the module. */
  readonly layer: number | undefined
  /** The height of its folder in its module; NaN where the module's order does not name the folder. */
  readonly height: number
}

/** The file of this repository an import names, or `undefined` for a package or a module of Node. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier))
  const prefix = Object.keys(workspaces).find((each) => specifier.startsWith(each))
  return prefix && `${workspaces[prefix]}${specifier.slice(prefix.length)}`
}

/** Where a file belongs. */
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
