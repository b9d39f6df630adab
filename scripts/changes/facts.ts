import type { Change } from './change.ts'

const lists = (...files: string[]) => ({
  command: 'node scripts/write-lists.ts',
  files: ['README.md', ...files],
})
const wire = { command: 'node scripts/write-sdk-types.ts', files: ['packages/sdk/src/wire.ts'] }
const settings = { command: 'node scripts/check-env.ts --write', files: ['.env.example'] }

/** A token, Aerodrome on Base. */
export const token: Change = {
  task: 'a token',
  limit: 3,
  edits: [
    {
      file: 'packages/protocol/src/tokens/aero.ts',
      as: 'protocol/src/tokens/<symbol>.ts',
      text: `import type { TokenFacts } from './token-facts.ts'

/** Aerodrome. */
export const aero = {
  symbol: 'AERO',
  name: 'Aerodrome',
  decimals: 18,
  isStablecoin: false,
  pricedAs: 'AERO',
  local: { usdE8: 100_000_000n, purse: 1_000_000 },
} as const satisfies TokenFacts
`,
    },
    {
      file: 'packages/protocol/src/tokens/list.ts',
      as: 'list.ts',
      replace: [
        [
          "import { cbbtc } from './cbbtc.ts'",
          "import { aero } from './aero.ts'\nimport { cbbtc } from './cbbtc.ts'",
        ],
        ['cbxrp] as const', 'cbxrp, aero] as const'],
      ],
    },
    {
      file: 'packages/protocol/src/networks/base.ts',
      as: 'protocol/src/networks/<name>.ts',
      replace: [['  tokens: {', "  tokens: {\n    AERO: '0x940181a94A35A4569E4529A3CDfB74e38FD98631',"]],
    },
  ],
  writes: [lists('docs/api.md', 'docs/splits.md'), wire],
  async isThere() {
    const { base } = await import('@sluice/protocol/networks/base.ts')
    const { namedSchemas } = await import('@sluice/protocol/api/named.ts')
    const { networkOf } = await import('../../apps/server/src/app/network.ts')
    const { krakenRates } = await import('../../apps/server/src/pricing/rates/kraken-rates.ts')
    const { codes } = krakenRates({} as Parameters<typeof krakenRates>[0])
    return (
      networkOf(base.id, undefined).tokens.some(({ name }) => name === 'Aerodrome') &&
      JSON.stringify(namedSchemas).includes('"AERO"') &&
      codes.map(String).includes('AERO')
    )
  },
}

/** A network, Unichain. */
export const network: Change = {
  task: 'a network',
  limit: 3,
  edits: [
    {
      file: 'packages/protocol/src/networks/unichain.ts',
      as: 'protocol/src/networks/<name>.ts',
      text: `import type { NetworkFacts } from './network-facts.ts'

/** Unichain. */
export const unichain: NetworkFacts = {
  id: 130,
  name: 'Unichain',
  use: 'live',
  explorerUrl: 'https://uniscan.xyz',
  publicRpcUrl: 'https://mainnet.unichain.org',
  nativeToken: 'ETH',
  tokens: { USDC: '0x078D782b760474a361dDA0AF3839290b0EF57AD6' },
  longestBlockGapMs: 120_000,
}
`,
    },
    {
      file: 'packages/protocol/src/networks/list.ts',
      as: 'list.ts',
      replace: [
        [
          "import type { NetworkFacts } from './network-facts.ts'",
          "import type { NetworkFacts } from './network-facts.ts'\nimport { unichain } from './unichain.ts'",
        ],
        ['[base, baseSepolia, local]', '[base, baseSepolia, unichain, local]'],
      ],
    },
  ],
  writes: [lists('docs/operations.md'), settings],
  async isThere() {
    const { readConfig } = await import('../../apps/server/src/platform/settings/config.ts')
    const { networkOf } = await import('../../apps/server/src/app/network.ts')
    const { modeOfChain } = await import('../../apps/server/src/access/keys/api-key.ts')
    const { chainName } = await import('../../apps/server/src/pages/islands/wallet/chain-names.ts')
    try {
      const { chainId } = readConfig({ CHAIN_ID: '130', RPC_URLS: 'https://rpc.example.com' })
      const { name, tokens, explorerUrl } = networkOf(chainId, undefined)
      const isShown = name === 'Unichain' && chainName(chainId) === name && explorerUrl !== undefined
      return isShown && tokens.length === 2 && modeOfChain(chainId) === 'live'
    } catch {
      return false
    }
  },
}

/** A right of a subscription: to read the feed. */
export const scope: Change = {
  task: 'a scope',
  limit: 3,
  edits: [
    {
      file: 'packages/protocol/src/api/access.ts',
      as: 'protocol/src/api/access.ts',
      replace: [
        ['export const scopeRoles = {', "export const scopeRoles = {\n  'events:read': ['developer'],"],
      ],
    },
    {
      file: 'apps/server/src/webhooks/routes.ts',
      as: "the route's `access`",
      replace: [
        [
          "const reading = { kind: 'key-or-session', scope: 'receipts:read' }",
          "const reading = { kind: 'key-or-session', scope: 'events:read' }",
        ],
      ],
    },
    {
      file: 'apps/server/test/contract/authentication.test.ts',
      as: 'test/contract/authentication.test.ts',
      replace: [
        [
          "  'receipts:read': ['GET', '/api/receipts'],",
          "  'receipts:read': ['GET', '/api/receipts'],\n  'events:read': ['GET', '/api/events'],",
        ],
      ],
    },
  ],
  writes: [wire],
  async isThere() {
    const { namedSchemas } = await import('@sluice/protocol/api/named.ts')
    const { scopesOfRole } = await import('../../apps/server/src/access/role.ts')
    const { webhookRoutes } = await import('../../apps/server/src/webhooks/routes.ts')
    const routes = webhookRoutes({} as Parameters<typeof webhookRoutes>[0])
    const has = (scopes: readonly string[]) => scopes.includes('events:read')
    return (
      JSON.stringify(namedSchemas).includes('"events:read"') &&
      has(scopesOfRole.owner) &&
      has(scopesOfRole.developer) &&
      !has(scopesOfRole.viewer) &&
      JSON.stringify(routes.map(({ access }) => access)).includes('"events:read"')
    )
  },
}

/** A field of the webhook's body: where the receipt can be looked at. */
export const webhookField: Change = {
  task: 'a webhook field',
  limit: 3,
  edits: [
    {
      file: 'packages/protocol/src/api/webhook-body.ts',
      as: 'protocol/src/api/webhook-body.ts',
      replace: [
        [
          '  brandKey: Type.String(),',
          "  brandKey: Type.String(),\n  currency: Type.String({ description: 'Of the receipt, upper case.' }),",
        ],
        ['  brandKey: ownBrandKey,', "  brandKey: ownBrandKey,\n  currency: 'USD',"],
      ],
    },
    {
      file: 'apps/server/src/receipts/receipt-event.ts',
      as: 'receipts/receipt-event.ts',
      replace: [
        [
          '      brandKey: receipt.brandKey,',
          '      brandKey: receipt.brandKey,\n      currency: receipt.currency,',
        ],
      ],
    },
    {
      file: 'docs/webhooks.md',
      as: 'docs/webhooks.md',
      replace: [
        [
          '| `brandKey` | string | |',
          '| `brandKey` | string | |\n| `currency` | string | of the receipt, upper case |',
        ],
      ],
    },
  ],
  writes: [wire],
  async isThere() {
    const { webhookBody } = await import('@sluice/protocol/api/webhook-body.ts')
    const { sampleNotice } = await import('../../apps/server/src/app/openapi/sample-answers.ts')
    return 'currency' in webhookBody.properties && 'currency' in sampleNotice
  },
}
