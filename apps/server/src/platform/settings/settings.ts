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
  NODE_ENV: '`production` refuses unsafe settings; anything else is development',
  PORT: 'port to listen on (default 8080)',
  HOST: 'address to listen on (default 127.0.0.1)',
  BASE_URL: 'public address of this service, without a slash at the end (default http://HOST:PORT)',
  DATA_DIR: 'folder for what the service keeps on disk (default ./data)',
  DATABASE_URL: 'PostgreSQL to use; without it one is started in DATA_DIR',
  RPC_URLS: 'JSON-RPC endpoints of the chain, separated by commas; without it a local chain is started',
  CHAIN_ID: alternatives(networks.map(describeNetwork)),
  SLUICE_MASTER_KEY: 'at least 32 signs; seals the secrets in the database; required in production',
  SLUICE_MASTER_KEY_OLD:
    'the master key before, while one is replaced by another: what it sealed still opens, nothing new is sealed with it',
  PLATFORM_FEE_BPS: "the platform's share of every payment in basis points (default 50)",
  PLATFORM_RECIPIENT: "wallet that gets the platform's share",
  DEPLOYER_KEY: 'private key that pays for deploying split contracts',
  KEEPER_KEY: 'private key that pays for sweeping deposits and distributing; may equal DEPLOYER_KEY',
  SPLIT_CHANGE_DELAY:
    'how long new recipients of a split wait, as 90s, 30m, 24h or 2d (default 24h; 0s in development)',
  ORDER_MIN_USD: 'smallest payment taken (default 0.01)',
  ORDER_MAX_USD: 'largest payment taken (default 1000000)',
  EDGE_SECRET: 'secret an edge proxy sends in x-edge-secret; at least 32 signs',
  TRUSTED_HOPS:
    'how many proxies of yours add to X-Forwarded-For, which is counted from the right; with EDGE_SECRET (default 1)',
  METRICS_TOKEN:
    'at least 32 characters; GET /metrics wants it as a bearer token; without it only this machine is answered, and nobody in production',
  JWT_SECRET: 'at least 32 signs; signs the sessions of the web app; required in production',
  JWT_SECRET_OLD:
    'the secret before, while one is replaced by another: its sessions go on, new ones are signed anew',
  SIGNUPS: 'who may begin to sell: open (default in development) or invited (default in production)',
  SITE_CONFIG_REQUIRES_KEY:
    'true: GET /api/site/config wants a subscription key or a session (default false)',
  OPERATOR_WALLETS: "wallets that may log in as the platform's operator, separated by commas",
  GATEWAY: 'internal (default): keys are judged here; external: by a gateway that sends EDGE_SECRET',
  RATE_LIMIT_SCALE: 'multiplies every rate limit (default 1); 0 means none, refused in production',
  LOG_LEVEL: 'trace, debug, info (default), warn, error or silent',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'OpenTelemetry collector to send traces to, such as http://127.0.0.1:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'headers for the collector: name=value, separated by commas',
  OTEL_SERVICE_NAME: 'what the service is called in traces (default sluice)',
  OTEL_TRACES_SAMPLER_ARG: 'part of the requests followed, from 0 to 1 (default 1)',
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
