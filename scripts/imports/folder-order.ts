import { serverSource } from './layers.ts'

/** Where the command line's source lies. */
export const cliSource = 'apps/cli/src/'

/**
 * The folders of a module, the lowest first: a file imports from its own folder or from a lower one.
 *
 * `.` stands for the files beside the folders; a name with an extension is one such file with a place of its own, and
 * one with a slash a folder in a folder.
 * A module without an order has no folders.
 */
const orders: Readonly<Record<string, readonly string[]>> = {
  kernel: ['.', 'text', 'turns'],
  platform: [
    'settings',
    '.',
    'builds',
    'facts',
    'process',
    'database/sharing',
    'database',
    'database/opening',
    'database/joining',
    'cluster',
    'jobs',
    'postgres',
    'outbound',
    'spool',
    'tracing',
  ],
  chain: ['.', 'rpc', 'transactions'],
  pricing: ['rates', 'taxes', '.'],
  access: [
    '.',
    'audit',
    'limits',
    'idempotency',
    'sessions',
    'keys',
    'guard',
    'invitation-routes.ts',
    'team-routes.ts',
    'prune-access.ts',
  ],
  split: ['.', 'ledger', 'distributing', 'setup', 'versions', 'routes.ts'],
  webhooks: ['.', 'feed', 'stream', 'delivery', 'grader', 'routes.ts'],
  receipts: ['.', 'finding', 'counting', 'refunds', 'viewing', 'making', 'managing', 'routes.ts'],
  payments: [
    'attempts',
    'cursors',
    'ledger',
    'settlement',
    'sweeping',
    'indexer',
    'recovery',
    'reconciliation',
    'distributions',
    'comparison',
    'relaying',
    'checkout',
    'x402',
    'cards',
    'tracking',
    'refunds',
    'claims',
    'inbox',
  ],
  onramp: ['provider.ts', 'provider-unavailable.ts', 'stripe', 'sandbox', '.'],
  pages: [
    'messages',
    'theme',
    'html',
    'images',
    'embed',
    'pdf',
    'panels',
    'live',
    'receipt',
    'claim',
    'sandbox',
    'site',
    'cart',
    'store',
    'preview',
    'programs',
    '.',
    'islands/page',
    'islands/wallet',
    'islands',
    'styles',
  ],
  app: ['http/concurrency', 'http', 'promises', 'openapi', 'probes', 'secrets', 'dashboard', '.'],
  local: ['.', 'demo'],
  cli: [
    '.',
    'operator',
    'database',
    'receipts',
    'orders',
    'products',
    'events',
    'webhooks',
    'doctor',
    'audit',
    'contracts',
    'secrets',
    'recovery',
    'sandbox',
    'commands.ts',
    'run-cli.ts',
    'main.ts',
  ],
}

/** The folder of a file within its module, and its height there. */
export type InnerPlace = {
  readonly module: string
  readonly name: string
  /** Counted from the lowest; NaN where the module's order does not name the folder. */
  readonly height: number
}

/** Where in its module a file stands; `undefined` outside the modules of the server and the command line. */
export function placeInside(path: string): InnerPlace | undefined {
  if (path.endsWith('.test.ts')) return undefined
  const rest = path.startsWith(cliSource)
    ? `cli/${path.slice(cliSource.length)}`
    : path.startsWith(serverSource)
      ? path.slice(serverSource.length)
      : ''
  const [module = '', ...inside] = rest.split('/')
  const [first] = inside
  if (first === undefined) return undefined
  const order = orders[module] ?? ['.']
  const own = order.includes(first) ? first : '.'
  const name = inside.length > 1 ? inside.slice(0, -1).join('/') : own
  const height = order.indexOf(name)
  return { module, name, height: height === -1 ? Number.NaN : height }
}
