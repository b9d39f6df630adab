import { findNetwork, isLocalNetwork, networks } from '@sluice/protocol/networks/list.ts'
import { isOnThisMachine } from '../../kernel/local-address.ts'
import { alternatives } from './setting.ts'
import type { SettingName, SettingValues } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

type Rule = readonly [
  setting: SettingName,
  isBroken: (values: SettingValues, env: Environment) => boolean,
  why: string | ((values: SettingValues) => string),
]

const always: readonly Rule[] = [
  [
    'RPC_URLS',
    ({ rpcUrls }) => new Set(rpcUrls).size < rpcUrls.length,
    'contains an endpoint twice; two different endpoints must agree',
  ],
  [
    'RPC_URLS',
    ({ rpcUrls }) => rpcUrls.some((each) => URL.canParse(each) && new URL(each).username !== ''),
    'must not contain a user name: put keys into the path or the query',
  ],
  [
    'SLUICE_MASTER_KEY',
    ({ masterKey, oldMasterKey }) => oldMasterKey !== undefined && masterKey === undefined,
    'is required with SLUICE_MASTER_KEY_OLD',
  ],
  [
    'SLUICE_MASTER_KEY_OLD',
    ({ masterKey, oldMasterKey }) => oldMasterKey !== undefined && masterKey === oldMasterKey,
    'must not be the same as SLUICE_MASTER_KEY',
  ],
  [
    'JWT_SECRET',
    ({ jwtSecret, oldJwtSecret }) => oldJwtSecret !== undefined && jwtSecret === undefined,
    'is required with JWT_SECRET_OLD',
  ],
  [
    'JWT_SECRET_OLD',
    ({ jwtSecret, oldJwtSecret }) => oldJwtSecret !== undefined && jwtSecret === oldJwtSecret,
    'must not be the same as JWT_SECRET',
  ],
  [
    'CHAIN_ID',
    ({ chainId }) => !findNetwork(chainId),
    `must be ${alternatives(networks.map(({ id }) => `${id}`))}`,
  ],
  [
    'RPC_URLS',
    ({ rpcUrls, chainId }) => rpcUrls.length === 0 && !isLocalNetwork(chainId),
    ({ chainId }) => `is required for chain ${chainId}`,
  ],
  [
    'ORDER_MIN_USD',
    ({ orderMinCents, orderMaxCents }) => orderMinCents > orderMaxCents,
    'must not be above ORDER_MAX_USD',
  ],
  [
    'ONRAMP_MIN_USD',
    ({ onrampMinCents, onrampMaxCents }) => onrampMinCents > onrampMaxCents,
    'must not be above ONRAMP_MAX_USD',
  ],
  [
    'ONRAMP_PROVIDER',
    ({ onrampProvider, stripeSecretKey, stripeWebhookSecret }) =>
      onrampProvider === 'stripe' && (stripeSecretKey === undefined || stripeWebhookSecret === undefined),
    'is stripe, which requires STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET',
  ],
  [
    'STRIPE_SECRET_KEY',
    ({ stripeSecretKey, stripeWebhookSecret }) =>
      stripeSecretKey === undefined && stripeWebhookSecret !== undefined,
    'is required with STRIPE_WEBHOOK_SECRET',
  ],
  [
    'STRIPE_WEBHOOK_SECRET',
    ({ stripeSecretKey, stripeWebhookSecret }) =>
      stripeSecretKey !== undefined && stripeWebhookSecret === undefined,
    'is required with STRIPE_SECRET_KEY',
  ],
  [
    'SANDBOX_TREASURY_KEY',
    ({ sandboxTreasuryKey, chainId, isProduction }) =>
      sandboxTreasuryKey !== undefined && (isProduction || findNetwork(chainId)?.use === 'live'),
    'must not be set in production or on a live network: it would sell goods for test money',
  ],
  [
    'EDGE_SECRET',
    ({ gateway, edgeSecret }) => gateway === 'external' && edgeSecret === undefined,
    'is required with GATEWAY=external',
  ],
  [
    'GATEWAY_SECRET',
    ({ gateway, gatewaySecret }) => gateway === 'external' && gatewaySecret === undefined,
    'is required with GATEWAY=external',
  ],
  [
    'GATEWAY_SECRET',
    ({ gatewaySecret, edgeSecret }) => gatewaySecret !== undefined && gatewaySecret === edgeSecret,
    'must not be the same as EDGE_SECRET: every proxy that knows it could act as any subscription',
  ],
]

const needed = 'is required in production'

const inProduction: readonly Rule[] = [
  [
    'STRIPE_SECRET_KEY',
    ({ stripeSecretKey }) => stripeSecretKey !== undefined && !/^[sr]k_live_/.test(stripeSecretKey),
    "must not be a test key in production: Stripe's test cards would pay for real goods",
  ],
  [
    'STRIPE_API_URL',
    ({ stripeApiUrl }) => stripeApiUrl.startsWith('http:') && !isOnThisMachine(stripeApiUrl),
    'must use https in production, except on localhost',
  ],
  [
    'RPC_URLS',
    ({ rpcUrls }) => rpcUrls.some((each) => each.startsWith('http:') && !isOnThisMachine(each)),
    'must use https in production, except on localhost',
  ],
  [
    'CHAIN_ID',
    ({ rpcUrls, chainId }, env) =>
      isLocalNetwork(chainId) && (rpcUrls.length > 0 || Boolean(env.CHAIN_ID?.trim())),
    ({ chainId }) =>
      `must not be ${chainId} in production: test money at fixed rates would pay for real goods`,
  ],
  ['JWT_SECRET', ({ jwtSecret }) => jwtSecret === undefined, needed],
  ['RATE_LIMIT_SCALE', ({ rateLimitScale }) => rateLimitScale === 0, 'must not be 0 in production'],
  ['DATABASE_URL', ({ databaseUrl }) => databaseUrl === undefined, needed],
  ['RPC_URLS', ({ rpcUrls }) => rpcUrls.length === 0, needed],
  ['SLUICE_MASTER_KEY', ({ masterKey }) => masterKey === undefined, needed],
  ['BASE_URL', ({ baseUrl }) => !baseUrl.startsWith('https://'), 'must use https in production'],
]

export function validateValues(values: SettingValues, env: Environment): string[] {
  const rules = values.isProduction ? [...always, ...inProduction] : always
  return rules
    .filter(([, isBroken]) => isBroken(values, env))
    .map(([setting, , why]) => `${setting} ${typeof why === 'string' ? why : why(values)}`)
}
