import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

function errorsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.errors
    throw error
  }
  return []
}

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://sluice@db/sluice',
  RPC_URLS: 'https://rpc.example',
  BASE_URL: 'https://pay.example',
  SLUICE_MASTER_KEY: 'k'.repeat(32),
  JWT_SECRET: 'j'.repeat(32),
}

test('without settings the whole product runs on this machine alone', () => {
  expect(readConfig({})).toMatchObject({
    isProduction: false,
    host: '127.0.0.1',
    port: 8080,
    baseUrl: 'http://127.0.0.1:8080',
    databaseUrl: undefined,
    rpcUrls: [],
    chainId: 31337,
    masterKey: undefined,
    platformFeeBps: 50,
    orderMinCents: 1n,
    orderMaxCents: 100_000_000n,
  })
})

test('what clients are told by may stand beside the settings', () => {
  expect(errorsOf({ SLUICE_URL: 'http://127.0.0.1:8080', SLUICE_KEY: 'sk_test_x' })).toEqual([])
})

test('all faults are told together', () => {
  const wrong = {
    PORT: '80 80',
    BASE_URL: 'ftp://pay.example',
    DATABASE_URL: 'mysql://db',
    RPC_URLS: 'https://one.example, two.example',
    CHAIN_ID: '5',
    SLUICE_MASTER_KEY: 'short',
    PLATFORM_FEE_BPS: '10000',
    PLATFORM_RECIPIENT: '0x12',
    DEPLOYER_KEY: '0x12',
    ORDER_MIN_USD: '1.234',
    LOG_LEVEL: 'loud',
    SLUICE_MASTER_KEI: 'x',
  }
  const errors = errorsOf({ ...wrong, HOST: '127.0.0.1' })
  for (const name of Object.keys(wrong))
    expect(errors.map((reason) => reason.split(' ', 1)[0]).filter((each) => each === name)).toEqual([name])
})

test('a fault never repeats the value, which may be a secret', () => {
  const secret = 'hunter2'
  const errors = errorsOf({ SLUICE_MASTER_KEY: secret, DEPLOYER_KEY: `0x${secret}`, DATABASE_URL: secret })
  expect(errors).toHaveLength(3)
  expect(errors.join('\n')).not.toContain(secret)
})

test('production refuses to run on what development makes up', () => {
  const named = errorsOf({ NODE_ENV: 'production' }).map((reason) => reason.split(' ')[0])
  expect(named.sort()).toEqual(['BASE_URL', 'DATABASE_URL', 'JWT_SECRET', 'RPC_URLS', 'SLUICE_MASTER_KEY'])
  expect(readConfig(production)).toMatchObject({ isProduction: true, chainId: 8453 })
})

test('production refuses a checkout without https', () => {
  expect(errorsOf({ ...production, BASE_URL: 'http://pay.example' })).toEqual([
    'BASE_URL must use https in production',
  ])
})

test('production asks no endpoint in the clear but one on this machine', () => {
  const reason = 'RPC_URLS must use https in production, except on localhost'
  for (const url of [
    'http://rpc.example',
    'https://one.example,http://10.0.0.7:8545',
    'http://127.0.0.1.example',
  ])
    expect(errorsOf({ ...production, RPC_URLS: url })).toEqual([reason])
  for (const url of ['http://127.0.0.1:8545', 'http://localhost:8545', 'http://[::1]:8545'])
    expect(readConfig({ ...production, RPC_URLS: url }).rpcUrls).toEqual([url])
})

test('production refuses the local chain, and with it rates that are fixed', () => {
  expect(errorsOf({ ...production, CHAIN_ID: '31337' })).toEqual([
    expect.stringMatching(/^CHAIN_ID must not be 31337 in production/),
  ])
})

test('who gets in is open in development and closed in production', () => {
  const open = { signups: 'open', gateway: 'internal', rateLimitScale: 1, operatorWallets: [] }
  expect(readConfig({})).toMatchObject({ ...open, jwtSecret: undefined })
  expect(readConfig(production).signups).toBe('invited')
  const reason = 'RATE_LIMIT_SCALE must not be 0 in production'
  expect(errorsOf({ ...production, RATE_LIMIT_SCALE: '0' })).toEqual([reason])
  expect(readConfig({ RATE_LIMIT_SCALE: '2.5' }).rateLimitScale).toBe(2.5)
})

test('settings of access that are no such are refused', () => {
  const wallet = `0x${'ab'.repeat(20)}`
  expect(readConfig({ OPERATOR_WALLETS: `${wallet}, ${wallet}` }).operatorWallets).toHaveLength(2)
  const wrong = { OPERATOR_WALLETS: 'me', SIGNUPS: 'maybe', RATE_LIMIT_SCALE: '-1', JWT_SECRET: 'short' }
  for (const [name, value] of [...Object.entries(wrong), ['GATEWAY', 'outside'] as const])
    expect(errorsOf({ [name]: value }), `${name} ${value}`).toHaveLength(1)
})

test('an outside gateway needs a secret of its own beside that of the edge', () => {
  const needed = ['EDGE_SECRET', 'GATEWAY_SECRET'].map((name) => `${name} is required with GATEWAY=external`)
  expect(errorsOf({ GATEWAY: 'external' })).toEqual(needed)
  const [one, other] = ['e'.repeat(32), 'g'.repeat(32)]
  const secrets = (edge: string, gateway: string) => ({ EDGE_SECRET: edge, GATEWAY_SECRET: gateway })
  expect(readConfig({ GATEWAY: 'external', ...secrets(one, other) }).gatewaySecret).toBe(other)
  expect(errorsOf(secrets(one, one))).toEqual([
    expect.stringMatching(/^GATEWAY_SECRET must not be the same as EDGE_SECRET/),
  ])
})

test('a chain other than the local one needs an endpoint', () =>
  expect(errorsOf({ CHAIN_ID: '8453' })).toEqual(['RPC_URLS is required for chain 8453']))

test('the smallest payment may not be above the largest', () => {
  expect(errorsOf({ ORDER_MIN_USD: '10', ORDER_MAX_USD: '9.99' })).toHaveLength(1)
  expect(readConfig({ ORDER_MIN_USD: '0.5' }).orderMinCents).toBe(50n)
})

test('an address of IPv6 makes a usable base URL', () => {
  expect(readConfig({ HOST: '::1' }).baseUrl).toBe('http://[::1]:8080')
})

test('endpoints are separated by commas and keep their order', () => {
  const { rpcUrls } = readConfig({ RPC_URLS: 'https://one.example/, http://two.example', CHAIN_ID: '84532' })
  expect(rpcUrls).toEqual(['https://one.example', 'http://two.example'])
})

test('one endpoint counts once, however often it is named', () => {
  expect(errorsOf({ RPC_URLS: 'https://one.example,https://one.example/' })).toHaveLength(1)
  expect(errorsOf({ RPC_URLS: 'https://user:pass@one.example' })).toHaveLength(1)
})

test('traces are followed only with a collector, whose settings are judged', () => {
  expect(readConfig({}).tracing).toBeUndefined()
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer a=b, x-team=shop',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }
  expect(readConfig(env).tracing).toEqual({
    endpoint: 'http://127.0.0.1:4318',
    headers: { authorization: 'Bearer a=b', 'x-team': 'shop' },
    serviceName: 'sluice',
    ratio: 0.25,
  })
  const wrong = { ...env, OTEL_EXPORTER_OTLP_HEADERS: 'authorization', OTEL_TRACES_SAMPLER_ARG: '1.5' }
  expect(errorsOf(wrong)).toEqual([
    expect.stringContaining('OTEL_EXPORTER_OTLP_HEADERS'),
    expect.stringContaining('OTEL_TRACES_SAMPLER_ARG'),
  ])
})

test('new recipients wait a day in production and not at all in development, unless it is said', () => {
  expect(readConfig({}).splitChangeDelayMs).toBe(0)
  expect(readConfig(production).splitChangeDelayMs).toBe(86_400_000)
  expect(readConfig({ ...production, SPLIT_CHANGE_DELAY: '90s' }).splitChangeDelayMs).toBe(90_000)
  expect(readConfig({ SPLIT_CHANGE_DELAY: '2d' }).splitChangeDelayMs).toBe(172_800_000)
  for (const text of ['24', '-1h', '1.5h', '1w', '0x1s', '100000d'])
    expect(errorsOf({ SPLIT_CHANGE_DELAY: text }), text).toHaveLength(1)
})

test('a name that is no setting is told with the one that was probably meant', () => {
  for (const [name, meant] of [
    ['SLUICE_MASTER_KEI', 'SLUICE_MASTER_KEY'],
    ['SLUICE_DATABASE_URL', 'DATABASE_URL'],
    ['SLUICE_MASTER_KEY_FILES', 'SLUICE_MASTER_KEY_FILE'],
  ] as const)
    expect(errorsOf({ [name]: 'x' })).toEqual([`${name} is not a setting; did you mean ${meant}?`])
  expect(errorsOf({ SLUICE_WAREHOUSE: 'x' })).toEqual(['SLUICE_WAREHOUSE is not a setting'])
})

test('a former secret stands beside another one, and is not the same', () => {
  for (const name of ['SLUICE_MASTER_KEY', 'JWT_SECRET']) {
    expect(errorsOf({ [`${name}_OLD`]: 'o'.repeat(32) })).toEqual([`${name} is required with ${name}_OLD`])
    expect(errorsOf({ [name]: 'o'.repeat(32), [`${name}_OLD`]: 'o'.repeat(32) })).toEqual([
      `${name}_OLD must not be the same as ${name}`,
    ])
  }
})

test('the card sandbox is refused in production and on a live network, and taken on a test network', () => {
  const SANDBOX_TREASURY_KEY = `0x${'11'.repeat(32)}`
  const why = expect.stringContaining('SANDBOX_TREASURY_KEY must not be set in production')
  expect(errorsOf({ ...production, SANDBOX_TREASURY_KEY })).toEqual([why])
  expect(errorsOf({ ...production, CHAIN_ID: '84532', SANDBOX_TREASURY_KEY })).toEqual([why])
  const live = { RPC_URLS: 'https://rpc.example', CHAIN_ID: '8453', SANDBOX_TREASURY_KEY }
  expect(errorsOf(live)).toEqual([why])
  expect(errorsOf({ ...live, CHAIN_ID: '84532' })).toEqual([])
  expect(errorsOf({ SANDBOX_TREASURY_KEY })).toEqual([])
})

test('Stripe needs both of its keys, and in production live ones', () => {
  const STRIPE_SECRET_KEY = 'sk_test_aKeyOfNobody'
  const STRIPE_WEBHOOK_SECRET = 'whsec_aSecretOfNobody'
  const both = { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }
  expect(errorsOf({ ...both, ONRAMP_PROVIDER: 'stripe' })).toEqual([])
  expect(errorsOf({ STRIPE_SECRET_KEY })).toEqual([
    'STRIPE_WEBHOOK_SECRET is required with STRIPE_SECRET_KEY',
  ])
  expect(errorsOf({ STRIPE_WEBHOOK_SECRET })).toEqual([
    'STRIPE_SECRET_KEY is required with STRIPE_WEBHOOK_SECRET',
  ])
  expect(errorsOf({ ONRAMP_PROVIDER: 'stripe' })).toEqual([
    'ONRAMP_PROVIDER is stripe, which requires STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET',
  ])
  expect(errorsOf({ STRIPE_SECRET_KEY: 'pk_live_aPublishableOne', STRIPE_WEBHOOK_SECRET: 'secret' })).toEqual(
    expect.arrayContaining([
      'STRIPE_SECRET_KEY must begin with sk_live_, rk_live_, sk_test_ or rk_test_',
      'STRIPE_WEBHOOK_SECRET must begin with whsec_',
    ]),
  )
  expect(errorsOf({ ...production, ...both })).toEqual([
    expect.stringContaining('STRIPE_SECRET_KEY must not be a test key in production'),
  ])
  const live = { ...production, ...both, STRIPE_SECRET_KEY: 'rk_live_aKeyOfNobody' }
  expect(errorsOf(live)).toEqual([])
  expect(errorsOf({ ...live, STRIPE_API_URL: 'http://stripe.example' })).toEqual([
    'STRIPE_API_URL must use https in production, except on localhost',
  ])
})
