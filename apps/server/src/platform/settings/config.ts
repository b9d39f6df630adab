import {
  defaultNetwork,
  findNetwork,
  isLocalNetwork,
  localNetwork,
  networks,
} from '@sluice/protocol/networks/list.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { isOnThisMachine } from '../../kernel/local-address.ts'
import { readSecretFiles } from './secret-files.ts'
import { alternatives, findUnknownSettings, type SettingName } from './settings.ts'

/** Everything the process is told from outside, read once at the start. */
export type Config = {
  readonly isProduction: boolean
  readonly port: number
  readonly host: string
  readonly baseUrl: string
  readonly dataDir: string
  /** Absent: the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: string | undefined
  /** Empty: the local development chain. */
  readonly rpcUrls: readonly string[]
  readonly chainId: number
  /** Absent outside production: a key is made on the first start and kept in `dataDir`. */
  readonly masterKey: string | undefined
  /** The one before it, while secrets in the database are still sealed with that. */
  readonly oldMasterKey: string | undefined
  readonly platformFeeBps: number
  readonly platformRecipient: Wallet | undefined
  readonly deployerKey: `0x${string}` | undefined
  readonly keeperKey: `0x${string}` | undefined
  /** How long a change of a split's recipients waits before it can take effect. */
  readonly splitChangeDelayMs: number
  readonly orderMinCents: bigint
  readonly orderMaxCents: bigint
  readonly edgeSecret: string | undefined
  /** How many proxies of ours add to `X-Forwarded-For`. */
  readonly trustedHops: number
  /** Absent: figures are shown on this machine alone. */
  readonly metricsToken: string | undefined
  /** Absent outside production: it follows from the master key. */
  readonly jwtSecret: string | undefined
  /** The one before it, whose sessions go on. */
  readonly oldJwtSecret: string | undefined
  readonly signups: 'open' | 'invited'
  readonly siteConfigRequiresKey: boolean
  readonly operatorWallets: readonly Wallet[]
  /** `external`: a gateway before us judges the keys; it proves itself by the edge secret. */
  readonly gateway: 'internal' | 'external'
  /** Multiplies every rate limit; 0 means none. */
  readonly rateLimitScale: number
  readonly logLevel: string
  /** Where traces go; `undefined` follows nothing. */
  readonly tracing: Tracing | undefined
}

/** How traces are sent: OTLP over HTTP. */
export type Tracing = {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** The part of requests followed, from 0 to 1. */
  readonly ratio: number
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A start refused for its settings, with every fault found. */
export class ConfigFault extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`Invalid settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigFault'
    this.faults = faults
  }
}

/**
 * The configuration in the environment and in the files that it names.
 *
 * @throws {ConfigFault} listing all faults together.
 */
export function readConfig(given: Readonly<Record<string, string | undefined>>): Config {
  const { env, faults } = readSecretFiles(given)
  const text = (name: SettingName) => env[name]?.trim() || undefined
  const fault = (name: SettingName, why: string) => void faults.push(`${name} ${why}`)
  const isProduction = text('NODE_ENV') === 'production'

  faults.push(...findUnknownSettings(env))

  const integer = (name: SettingName, fallback: number, min: number, max: number) => {
    const value = text(name)
    if (value === undefined) return fallback
    if (/^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
    fault(name, `must be a whole number from ${min} to ${max}`)
    return fallback
  }
  const oneOf = <T extends string>(name: SettingName, fallback: T, allowed: readonly T[]): T => {
    const value = text(name) ?? fallback
    if ((allowed as readonly string[]).includes(value)) return value as T
    fault(name, `must be one of ${allowed.join(', ')}`)
    return fallback
  }
  const url = (name: SettingName, value: string, protocols: readonly string[]) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined
    if (parsed && protocols.includes(parsed.protocol)) return value.replace(/\/+$/, '')
    fault(name, `must be a URL beginning with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    return value
  }
  const privateKey = (name: SettingName) => {
    const value = text(name)
    if (value === undefined || /^0x[0-9a-fA-F]{64}$/.test(value)) return value as `0x${string}` | undefined
    fault(name, 'must be 0x followed by 64 hexadecimal digits')
    return undefined
  }
  const cents = (name: SettingName, fallback: bigint) => {
    const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text(name) ?? '')
    if (match) return BigInt(match[1] + (match[2] ?? '').padEnd(2, '0'))
    if (text(name) !== undefined) fault(name, 'must be an amount with at most two decimals')
    return fallback
  }
  const duration = (name: SettingName, fallbackMs: number) => {
    const match = /^(\d{1,5})([smhd])$/.exec(text(name) ?? '')
    if (match) return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
    if (text(name) !== undefined) fault(name, 'must be a whole number followed by s, m, h or d')
    return fallbackMs
  }
  const secret = (name: SettingName) => {
    const value = text(name)
    if (value !== undefined && value.length < 32) fault(name, 'must have at least 32 characters')
    return value
  }
  const wallet = (name: SettingName) => {
    const value = text(name)
    const parsed = parseWallet(value)
    if (value !== undefined && !parsed) fault(name, 'must be 0x followed by 40 hexadecimal digits')
    return parsed
  }

  const factor = (name: SettingName, fallback: number) => {
    const value = text(name)
    if (value === undefined || /^\d{1,6}(\.\d{1,3})?$/.test(value)) return Number(value ?? fallback)
    fault(name, 'must be a non-negative number with at most three decimals')
    return fallback
  }
  const wallets = (name: SettingName) =>
    (text(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
      .flatMap((part) => {
        const parsed = parseWallet(part)
        if (!parsed)
          fault(name, 'must be wallets separated by commas, each 0x followed by 40 hexadecimal digits')
        return parsed ?? []
      })

  const headers = (name: SettingName) =>
    Object.fromEntries(
      (text(name) ?? '')
        .split(',')
        .filter((part) => part.trim() !== '')
        .flatMap((part) => {
          const match = /^\s*([A-Za-z0-9-]+)\s*=\s*([\x21-\x7e][\x20-\x7e]*)$/.exec(part)
          if (!match) fault(name, 'must be name=value pairs separated by commas')
          return match ? [[match[1] as string, (match[2] as string).trim()]] : []
        }),
    )
  const collector = text('OTEL_EXPORTER_OTLP_ENDPOINT')
  const tracing = {
    headers: headers('OTEL_EXPORTER_OTLP_HEADERS'),
    serviceName: text('OTEL_SERVICE_NAME') ?? 'sluice',
    ratio: factor('OTEL_TRACES_SAMPLER_ARG', 1),
  }
  if (tracing.ratio > 1) fault('OTEL_TRACES_SAMPLER_ARG', 'must be between 0 and 1')

  const port = integer('PORT', 8080, 0, 65_535)
  const host = text('HOST') ?? '127.0.0.1'
  const rpcUrls = (text('RPC_URLS') ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => url('RPC_URLS', part, ['http:', 'https:']))
  const chainId = integer('CHAIN_ID', (rpcUrls.length > 0 ? defaultNetwork : localNetwork).id, 1, 999_999_999)
  const databaseUrl = text('DATABASE_URL')
  if (databaseUrl) url('DATABASE_URL', databaseUrl, ['postgres:', 'postgresql:'])
  const config: Config = {
    isProduction,
    port,
    host,
    baseUrl: url(
      'BASE_URL',
      text('BASE_URL') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
      ['http:', 'https:'],
    ),
    dataDir: text('DATA_DIR') ?? './data',
    databaseUrl,
    rpcUrls,
    chainId,
    masterKey: secret('SLUICE_MASTER_KEY'),
    oldMasterKey: secret('SLUICE_MASTER_KEY_OLD'),
    platformFeeBps: integer('PLATFORM_FEE_BPS', 50, 0, 9_999),
    platformRecipient: wallet('PLATFORM_RECIPIENT'),
    deployerKey: privateKey('DEPLOYER_KEY'),
    keeperKey: privateKey('KEEPER_KEY'),
    splitChangeDelayMs: duration('SPLIT_CHANGE_DELAY', isProduction ? unitMs.d : 0),
    orderMinCents: cents('ORDER_MIN_USD', 1n),
    orderMaxCents: cents('ORDER_MAX_USD', 100_000_000n),
    edgeSecret: secret('EDGE_SECRET'),
    trustedHops: integer('TRUSTED_HOPS', 1, 1, 9),
    metricsToken: secret('METRICS_TOKEN'),
    jwtSecret: secret('JWT_SECRET'),
    oldJwtSecret: secret('JWT_SECRET_OLD'),
    siteConfigRequiresKey: oneOf('SITE_CONFIG_REQUIRES_KEY', 'false', ['true', 'false']) === 'true',
    signups: oneOf('SIGNUPS', isProduction ? 'invited' : 'open', ['open', 'invited']),
    operatorWallets: wallets('OPERATOR_WALLETS'),
    gateway: oneOf('GATEWAY', 'internal', ['internal', 'external']),
    rateLimitScale: factor('RATE_LIMIT_SCALE', 1),
    logLevel: oneOf('LOG_LEVEL', 'info', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    tracing: collector
      ? { endpoint: url('OTEL_EXPORTER_OTLP_ENDPOINT', collector, ['http:', 'https:']), ...tracing }
      : undefined,
  }
  if (new Set(rpcUrls).size < rpcUrls.length)
    fault('RPC_URLS', 'lists an endpoint twice: two must agree, and an endpoint always agrees with itself')
  if (rpcUrls.some((each) => URL.canParse(each) && new URL(each).username !== ''))
    fault('RPC_URLS', 'must not contain a user name: put keys into the path or the query')
  for (const [name, old] of [
    ['SLUICE_MASTER_KEY', config.oldMasterKey],
    ['JWT_SECRET', config.oldJwtSecret],
  ] as const) {
    if (old !== undefined && text(name) === undefined) fault(name, `is required with ${name}_OLD`)
    if (old !== undefined && text(name) === old) fault(`${name}_OLD`, `must not be the same as ${name}`)
  }
  if (!findNetwork(chainId)) fault('CHAIN_ID', `must be ${alternatives(networks.map(({ id }) => `${id}`))}`)
  if (rpcUrls.length === 0 && !isLocalNetwork(chainId)) fault('RPC_URLS', `is required for chain ${chainId}`)
  if (config.orderMinCents > config.orderMaxCents) fault('ORDER_MIN_USD', 'must not be above ORDER_MAX_USD')
  if (config.gateway === 'external' && !config.edgeSecret)
    fault('EDGE_SECRET', 'is required with GATEWAY=external')
  if (isProduction) {
    if (rpcUrls.some((each) => each.startsWith('http:') && !isOnThisMachine(each)))
      fault('RPC_URLS', 'must use https in production, except on localhost')
    if (isLocalNetwork(chainId) && (rpcUrls.length > 0 || text('CHAIN_ID')))
      fault(
        'CHAIN_ID',
        `must not be ${chainId} in production: play money at fixed rates would pay for real goods`,
      )
    if (!config.jwtSecret) fault('JWT_SECRET', 'is required in production')
    if (config.rateLimitScale === 0) fault('RATE_LIMIT_SCALE', 'must not be 0 in production')
    if (!databaseUrl) fault('DATABASE_URL', 'is required in production')
    if (rpcUrls.length === 0) fault('RPC_URLS', 'is required in production')
    if (!config.masterKey) fault('SLUICE_MASTER_KEY', 'is required in production')
    if (!text('BASE_URL')?.startsWith('https://')) fault('BASE_URL', 'must use https in production')
  }
  if (faults.length > 0) throw new ConfigFault(faults)
  return config
}
