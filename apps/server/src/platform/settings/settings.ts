import { defaultNetwork, localNetwork, networks } from '@sluice/protocol/networks/list.ts'
import type { NetworkFacts } from '@sluice/protocol/networks/network-facts.ts'
import { onrampSettings } from './onramp-settings.ts'
import * as read from './read-text.ts'
import { alternatives, type Setting } from './setting.ts'

/**
 * All settings, one row each. `Config`, `.env.example`, secret files and known names are derived from them.
 *
 * The order matters: a default may depend only on rows above it.
 */
export const settings = {
  NODE_ENV: {
    as: 'isProduction',
    help: '`production` rejects unsafe settings; any other value means development',
    read: (text) => text === 'production',
    default: '',
  },
  PORT: { as: 'port', help: 'port to listen on', read: read.wholeNumber(0, 65_535), default: '8080' },
  HOST: { as: 'host', help: 'address to listen on', read: read.anyText, default: '127.0.0.1' },
  BASE_URL: {
    as: 'baseUrl',
    help: 'public URL of this service, a scheme and a host without a path (default http://HOST:PORT)',
    read: read.webOrigin,
    default: ({ host, port }) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
  },
  DATA_DIR: {
    as: 'dataDir',
    help: 'folder for the files of the service',
    read: read.anyText,
    default: './data',
  },
  DATABASE_URL: {
    as: 'databaseUrl',
    help: 'URL of the PostgreSQL database; if not set, an embedded one is started in DATA_DIR',
    read: read.postgresUrl,
    isSecret: true,
  },
  RPC_URLS: {
    as: 'rpcUrls',
    help: 'JSON-RPC endpoints of the chain, separated by commas; if not set, a local chain is started',
    read: read.webUrls,
    default: '',
    isSecret: true,
  },
  CHAIN_ID: {
    as: 'chainId',
    help: alternatives(networks.map(describeNetwork)),
    read: read.wholeNumber(1, 999_999_999),
    default: ({ rpcUrls }) => String((rpcUrls.length > 0 ? defaultNetwork : localNetwork).id),
  },
  // Outside production, a missing key is generated at the first start and kept in the data folder.
  SLUICE_MASTER_KEY: {
    as: 'masterKey',
    help: 'key that encrypts the secrets in the database, at least 32 characters; required in production',
    read: read.secret,
    isSecret: true,
  },
  SLUICE_MASTER_KEY_OLD: {
    as: 'oldMasterKey',
    help: 'previous master key during a key rotation; decrypts existing secrets, but encrypts no new ones',
    read: read.secret,
    isSecret: true,
  },
  PLATFORM_FEE_BPS: {
    as: 'platformFeeBps',
    help: "the platform's share of every payment in basis points",
    read: read.wholeNumber(0, 9_999),
    default: '50',
  },
  PLATFORM_RECIPIENT: {
    as: 'platformRecipient',
    help: "wallet that receives the platform's share",
    read: read.wallet,
  },
  DEPLOYER_KEY: {
    as: 'deployerKey',
    help: 'private key of the account that pays for deploying split contracts',
    read: read.privateKey,
    isSecret: true,
  },
  KEEPER_KEY: {
    as: 'keeperKey',
    help: 'private key of the account that pays for sweeping deposits and distributing; may equal DEPLOYER_KEY',
    read: read.privateKey,
    isSecret: true,
  },
  RELAYER_KEY: {
    as: 'relayerKey',
    help: 'private key of the account that pays the gas of signed payments; if not set, buyers cannot pay by signature',
    read: read.privateKey,
    isSecret: true,
  },
  RELAYER_MAX_FEE: {
    as: 'relayerMaxFee',
    help: 'maximum gas cost of one signed payment, in the native token (default 0.0005; 0.01 without RPC_URLS)',
    read: read.nativeUnits,
    default: ({ rpcUrls }) => (rpcUrls.length > 0 ? '0.0005' : '0.01'),
  },
  RELAYER_DAILY_MAX: {
    as: 'relayerDailyMax',
    help: 'maximum gas cost of all signed payments in 24 hours, in the native token (default 0.05; 10 without RPC_URLS)',
    read: read.nativeUnits,
    default: ({ rpcUrls }) => (rpcUrls.length > 0 ? '0.05' : '10'),
  },
  RELAYER_MIN_USD: {
    as: 'relayerMinCents',
    help: 'minimum amount of a signed payment',
    read: read.dollars,
    default: '0.10',
  },
  X402_FACILITATOR_URL: {
    as: 'facilitatorUrl',
    help: 'URL (no trailing slash) of the x402 facilitator that submits signed payments instead of the relayer',
    read: read.webUrl,
  },
  X402_FACILITATOR_HEADERS: {
    as: 'facilitatorHeaders',
    help: 'headers for the facilitator: name=value pairs separated by commas',
    read: read.httpHeaders,
    default: '',
    isSecret: true,
  },
  SPLIT_CHANGE_DELAY: {
    as: 'splitChangeDelayMs',
    help: 'delay before new recipients of a split take effect, for example 90s, 30m, 24h or 2d (default 24h; 0s in development)',
    read: read.duration,
    default: ({ isProduction }) => (isProduction ? '24h' : '0s'),
  },
  ORDER_MIN_USD: {
    as: 'orderMinCents',
    help: 'minimum payment',
    read: read.dollars,
    default: '0.01',
  },
  ORDER_MAX_USD: {
    as: 'orderMaxCents',
    help: 'maximum payment',
    read: read.dollars,
    default: '1000000',
  },
  ...onrampSettings,
  WALLETCONNECT_PROJECT_ID: {
    as: 'walletConnectProject',
    help: 'WalletConnect project id; if not set, the checkout offers only browser wallets and the QR code',
    read: read.projectId,
  },
  EDGE_SECRET: {
    as: 'edgeSecret',
    help: 'secret that an edge proxy sends in x-edge-secret, at least 32 characters',
    read: read.secret,
    isSecret: true,
  },
  TRUSTED_HOPS: {
    as: 'trustedHops',
    help: 'number of your proxies that append to X-Forwarded-For, counted from the right; requires EDGE_SECRET',
    read: read.wholeNumber(1, 9),
    default: '1',
  },
  METRICS_TOKEN: {
    as: 'metricsToken',
    help: 'bearer token for GET /metrics, at least 32 characters; if not set, only this machine has access; in production, the endpoint is then closed',
    read: read.secret,
    isSecret: true,
  },
  // Outside production, a missing secret is derived from the master key.
  JWT_SECRET: {
    as: 'jwtSecret',
    help: 'key that signs the sessions of the web app, at least 32 characters; required in production',
    read: read.secret,
    isSecret: true,
  },
  JWT_SECRET_OLD: {
    as: 'oldJwtSecret',
    help: 'previous JWT_SECRET during a rotation; existing sessions stay valid, and new sessions use JWT_SECRET',
    read: read.secret,
    isSecret: true,
  },
  SIGNUPS: {
    as: 'signups',
    help: 'who can become a merchant: open (default in development) or invited (default in production)',
    read: read.oneOf('open', 'invited'),
    default: ({ isProduction }) => (isProduction ? 'invited' : 'open'),
  },
  SITE_CONFIG_REQUIRES_KEY: {
    as: 'siteConfigRequiresKey',
    help: 'true: GET /api/site/config requires a subscription key or a session',
    read: read.yesOrNo,
    default: 'false',
  },
  OPERATOR_WALLETS: {
    as: 'operatorWallets',
    help: 'wallets that can log in as the operator of the platform, separated by commas',
    read: read.wallets,
    default: '',
  },
  GATEWAY: {
    as: 'gateway',
    help: 'internal: this service validates keys; external: a gateway validates keys and sends EDGE_SECRET and GATEWAY_SECRET',
    read: read.oneOf('internal', 'external'),
    default: 'internal',
  },
  GATEWAY_SECRET: {
    as: 'gatewaySecret',
    help: 'secret that the gateway sends in x-gateway-secret, at least 32 characters; required for its x-subscription-id',
    read: read.secret,
    isSecret: true,
  },
  RATE_LIMIT_SCALE: {
    as: 'rateLimitScale',
    help: 'multiplier of all rate limits; 0 turns them off and is rejected in production',
    read: read.factor,
    default: '1',
  },
  LOG_LEVEL: {
    as: 'logLevel',
    help: 'trace, debug, info, warn, error or silent',
    read: read.oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    as: 'traceEndpoint',
    help: 'OpenTelemetry collector to send traces to, such as http://127.0.0.1:4318',
    read: read.webUrl,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    as: 'traceHeaders',
    help: 'headers for the collector: name=value pairs separated by commas',
    read: read.httpHeaders,
    default: '',
    isSecret: true,
  },
  OTEL_SERVICE_NAME: {
    as: 'traceServiceName',
    help: 'name of the service in traces',
    read: read.anyText,
    default: 'sluice',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    as: 'traceRatio',
    help: 'fraction of requests that are traced, from 0 to 1',
    read: read.fraction,
    default: '1',
  },
} as const satisfies Readonly<Record<string, Setting>>

function describeNetwork({ id, name, use }: NetworkFacts): string {
  return `${id} (${use === 'local' ? 'local, the default without RPC_URLS' : name})`
}

export type SettingName = keyof typeof settings

export const settingNames = Object.keys(settings) as SettingName[]

export const secretSettings = settingNames.filter((name) => rowOf(name).isSecret)

export function rowOf(name: SettingName): Setting {
  return settings[name]
}

type ValueOf<Row extends Setting> = Row extends { readonly default: unknown }
  ? Exclude<ReturnType<Row['read']>, undefined>
  : ReturnType<Row['read']>

export type SettingValues = {
  readonly [Name in SettingName as (typeof settings)[Name]['as']]: ValueOf<(typeof settings)[Name]>
}
