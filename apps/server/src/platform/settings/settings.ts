import { networks } from '@sluice/protocol/networks/list.ts'
import type { NetworkFacts } from '@sluice/protocol/networks/network-facts.ts'
import { nearestName } from '../../kernel/text/nearest-name.ts'
import { fileSettingOf, secretSettings } from './secret-files.ts'

/** `a, b or c`. */
export function alternatives(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter(Boolean).join(' or ')
}

function describeNetwork({ id, name, use }: NetworkFacts): string {
  return `${id} (${use === 'local' ? 'local, the default without RPC_URLS' : name})`
}

/** The settings and what each does; `.env.example` is checked against this list. */
export const settings = {
  NODE_ENV: '`production` rejects unsafe settings; any other value means development',
  PORT: 'port to listen on (default 8080)',
  HOST: 'address to listen on (default 127.0.0.1)',
  BASE_URL: 'public URL of this service, without a trailing slash (default http://HOST:PORT)',
  DATA_DIR: 'directory for the files of the service (default ./data)',
  DATABASE_URL: 'URL of the PostgreSQL database; if not set, an embedded one is started in DATA_DIR',
  RPC_URLS: 'JSON-RPC endpoints of the chain, separated by commas; if not set, a local chain is started',
  CHAIN_ID: alternatives(networks.map(describeNetwork)),
  SLUICE_MASTER_KEY:
    'key that encrypts the secrets in the database, at least 32 characters; required in production',
  SLUICE_MASTER_KEY_OLD:
    'previous master key, during a key rotation: it still decrypts, but nothing new is encrypted with it',
  PLATFORM_FEE_BPS: "platform's share of every payment, in basis points (default 50)",
  PLATFORM_RECIPIENT: "wallet that receives the platform's share",
  DEPLOYER_KEY: 'private key of the account that pays for deploying split contracts',
  KEEPER_KEY:
    'private key of the account that pays for sweeping deposits and distributing; may equal DEPLOYER_KEY',
  SPLIT_CHANGE_DELAY:
    'delay before new recipients of a split take effect, for example 90s, 30m, 24h or 2d (default 24h; 0s in development)',
  ORDER_MIN_USD: 'smallest payment accepted, in US dollars (default 0.01)',
  ORDER_MAX_USD: 'largest payment accepted, in US dollars (default 1000000)',
  EDGE_SECRET: 'secret that an edge proxy sends in x-edge-secret, at least 32 characters',
  TRUSTED_HOPS:
    'number of your proxies that append to X-Forwarded-For, counted from the right; used with EDGE_SECRET (default 1)',
  METRICS_TOKEN:
    'bearer token for GET /metrics, at least 32 characters; if not set, only this machine has access, and in production nobody',
  JWT_SECRET: 'key that signs the sessions of the web app, at least 32 characters; required in production',
  JWT_SECRET_OLD:
    'previous JWT_SECRET, during a rotation: existing sessions stay valid, new ones are signed with JWT_SECRET',
  SIGNUPS: 'who can become a merchant: open (default in development) or invited (default in production)',
  SITE_CONFIG_REQUIRES_KEY:
    'if true, GET /api/site/config requires a subscription key or a session (default false)',
  OPERATOR_WALLETS: 'wallets that can log in as the operator of the platform, separated by commas',
  GATEWAY: 'where keys are verified: internal (default), or external: by a gateway that sends EDGE_SECRET',
  RATE_LIMIT_SCALE: 'factor for all rate limits (default 1); 0 turns them off and is rejected in production',
  LOG_LEVEL: 'trace, debug, info (default), warn, error or silent',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'OpenTelemetry collector to send traces to, such as http://127.0.0.1:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'headers for the collector: name=value pairs separated by commas',
  OTEL_SERVICE_NAME: 'name of the service in traces (default sluice)',
  OTEL_TRACES_SAMPLER_ARG: 'fraction of requests to trace, from 0 to 1 (default 1)',
} as const

/** The name of a setting. */
export type SettingName = keyof typeof settings

/** What programs that call the service are told by; no settings of the service, and no faults beside them. */
const namesOfClients: ReadonlySet<string> = new Set(['SLUICE_URL', 'SLUICE_KEY'])

/** Every name that is read, those of files included. */
const knownNames: readonly string[] = [...Object.keys(settings), ...secretSettings.map(fileSettingOf)]

/** A fault for each name that begins as ours do and is none of them, with the one it may be meant for. */
export function findUnknownSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('SLUICE_') && !knownNames.includes(name) && !namesOfClients.has(name))
    .map((name) => {
      const meant = nearestSetting(name)
      return `${name} is not a setting${meant ? `; did you mean ${meant}?` : ''}`
    })
}

/** The setting that a name with our prefix may be meant for: ours misspelt, or another one that has no prefix. */
function nearestSetting(name: string): string | undefined {
  return nearestName(name, knownNames) ?? nearestName(name.replace(/^SLUICE_/, ''), knownNames)
}
