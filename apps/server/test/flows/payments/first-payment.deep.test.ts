import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import pg from 'pg'
import { parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readPage } from '../../../../../scripts/guide/read-blocks.ts'
import { openRuntime } from '../../../src/app/runtime.ts'
import { type Clock, systemClock } from '../../../src/kernel/clock.ts'
import { usualTimings } from '../../../src/platform/jobs/timings.ts'
import { type Log, makeLog } from '../../../src/platform/log.ts'
import { startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-postgres.ts'
import { until } from '../../../src/platform/process/process.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'
import { fixedRates } from '../../../src/pricing/rates/live-rates.ts'
import { RateBook } from '../../../src/pricing/rates/rate-book.ts'
import { runSluice } from '../../../src/run.ts'
import { type CallOptions, callApi } from '../../support/api/call-api.ts'
import { logIn, newWallet } from '../../support/api/sessions.ts'
import { withDatabase } from '../../support/database/shared-postgres.ts'
import { perFile } from '../../support/per-file.ts'
import { startCli } from '../../support/programs/run-cli.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'
import { keptLog, registerSecrets } from '../../support/secrets/secret-register.ts'
import { type PublicChain, startPublicChain } from './public-chain.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
const baseUrl = 'https://pay.example.com'

const folder = perFile(() => makeTemporaryFolder('first-payment', { isSearched: false }))
const postgres = perFile(() => startEmbeddedPostgres({ log: makeLog('silent') }, { dataDir: folder.path }))

/** Runs ten times as fast as real time, so that half-minute jobs run often. */
function fastClock(): Clock {
  const start = systemClock.now()
  return {
    ...systemClock,
    now: () => (start + (systemClock.now() - start) * 10) as ReturnType<Clock['now']>,
    after: (ms, run) => systemClock.after(ms / 10, run),
  }
}

async function settingsFor(chain: PublicChain) {
  const name = `first_${chain.id}`
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`).finally(() => client.end())
  const [deployer, keeper] = [newWallet(), newWallet()]
  const secrets = { SLUICE_MASTER_KEY: 'm'.repeat(40) + chain.id, JWT_SECRET: 'j'.repeat(40) + chain.id }
  registerSecrets(secrets.SLUICE_MASTER_KEY, secrets.JWT_SECRET)
  const env = {
    NODE_ENV: 'production',
    PORT: '0',
    BASE_URL: baseUrl,
    DATA_DIR: join(folder.path, name),
    DATABASE_URL: withDatabase(postgres.url, name),
    RPC_URLS: chain.rpcUrl,
    CHAIN_ID: String(chain.id),
    PLATFORM_RECIPIENT: newWallet().wallet,
    DEPLOYER_KEY: deployer.privateKey,
    KEEPER_KEY: keeper.privateKey,
    ...secrets,
  }
  return { env, deployer: deployer.wallet, keeper: keeper.wallet }
}

async function start(env: Record<string, string>) {
  const parts: { stop(): Promise<void> }[] = []
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part.stop()
  }
  onTestFinished(stop)
  const log = makeLog('debug', keptLog('first-payment'))
  const clock = fastClock()
  const starting = runSluice(readConfig(env), log, {
    keep: (part) => void parts.push(part),
    timings: { ...usualTimings, intervalScale: 0.3 },
    open: (config, itsLog: Log, contracts, tracer, timings) => ({
      ...openRuntime(config, itsLog, contracts, tracer, timings),
      clock,
      rates: new RateBook({ clock, log, sources: [fixedRates({ clock })] }),
    }),
  })
  // A service that fails to start leaves its folder for the next one.
  await starting.catch(stop)
  return starting
}

describe.each([8453, 84532, 56] as const)('on an empty chain %i, in production', (id) => {
  test('the way from nothing leads to a reconciled payment, and nothing is sent before the factory stands', async () => {
    const chain = await startPublicChain(id)
    onTestFinished(() => chain.stop())
    const { env, deployer, keeper } = await settingsFor(chain)
    const done = new Set<string>()
    const access: Record<string, string> = {}
    const cli = async (...args: string[]) => {
      done.add(args.filter((arg) => arg !== '--yes').join(' '))
      const settings = { cwd: folder.path, env: { ...env, ...access } }
      const { code, stdout, stderr } = await startCli([...args, '--json'], settings).ended
      const last = stdout.trim().split('\n').at(-1)
      return { code, stderr, body: last ? JSON.parse(last) : undefined }
    }
    const advice = /no split factory at 0x\w{40} .*`npm run cli -- contracts deploy`/
    await expect(start(env)).rejects.toThrow(advice)
    expect(await cli('contracts', 'verify')).toMatchObject({ code: 1, body: { ok: false } })
    const poor = await cli('contracts', 'deploy', '--yes')
    expect(poor.code).toBe(1)
    expect(poor.stderr).toContain('cannot pay for the deployment')
    for (const address of [deployer, keeper])
      await chain.client.setBalance({ address, value: parseEther('1') })
    const unasked = await cli('contracts', 'deploy')
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('Add --yes')])
    expect(await chain.client.getTransactionCount({ address: deployer })).toBe(0)

    const deploy = () => cli('contracts', 'deploy', '--yes')
    expect(await chain.mineWhenAwaited(deploy)).toMatchObject({ code: 0, body: { deployed: true } })
    expect(await deploy()).toMatchObject({ code: 0, body: { deployed: false } })
    const verified = await cli('contracts', 'verify', '--standard-input', 'factory.json')
    expect(verified).toMatchObject({ code: 0, body: { ok: true, chainId: id } })
    const input = JSON.parse(readFileSync(join(folder.path, 'factory.json'), 'utf8'))
    expect(input.sources).toHaveProperty(['src/SplitFactory.sol'])
    expect(input.sources).toHaveProperty(['src/PullFactory.sol'])
    expect(await chain.client.getTransactionCount({ address: deployer })).toBe(2)

    const { port } = await start(env)
    const call = callerOf(port)
    // Everything is ready, except that the recovery seed has not been written down.
    const isReady = async () =>
      Object.entries<{ ok: boolean }>((await call('GET', '/readyz')).body.checks).every(
        ([name, { ok }]) => ok || name === 'recovery',
      )
    expect(await until(isReady, 60_000)).toBe(true)
    const merchant = newWallet()
    const made = await cli('merchant', 'create', merchant.wallet, '--name', 'First shop')
    expect(made.code).toBe(0)
    const key = made.body.subscription.primaryKey as string
    registerSecrets(key, made.body.subscription.secondaryKey)
    const session = await logIn({ call }, merchant)
    const headers = { cookie: session.cookie, 'x-csrf-token': session.csrfToken, origin: baseUrl }
    expect((await call('POST', '/api/split/deploy', { body: {}, headers })).status).toBe(200)
    const readSplit = () => call('GET', '/api/split/deploy', { headers: { 'x-api-key': key } })
    const isDeployed = async () => (await readSplit()).body.split.deployed === true
    expect(await until(isDeployed, 60_000)).toBe(true)

    Object.assign(access, { SLUICE_URL: `http://127.0.0.1:${port}`, SLUICE_KEY: key })
    const receipt = await cli('receipt', 'create', '--id', 'first', '--line', 'First order=20')
    expect(receipt.code).toBe(0)
    const path = `/api/checkout/first/attempts?recipient=${merchant.wallet}`
    const attempt = await call('POST', path, { body: { token: findNetwork(id)?.nativeToken } })
    expect(attempt.status).toBe(201)
    const buyer = privateKeyToAccount(firstAnvilKey)
    const { depositAddress, amount } = attempt.body
    await chain.client.sendTransaction({ account: buyer, to: depositAddress, value: BigInt(amount) })
    const watched = await cli('receipt', 'watch', 'first', '--until', 'reconciled')
    expect(watched.code).toBe(0)
    const share = (BigInt(amount) * 9_950n) / 10_000n
    expect(await chain.client.getBalance({ address: merchant.wallet })).toBe(share)
    for (const command of commandsOfPage({ $MERCHANT: merchant.wallet })) expect(done).toContain(command)
  })
})

function commandsOfPage(variables: Readonly<Record<string, string>>): string[] {
  const shells = readPage('docs/deploy.md').filter(
    ({ language, notRun }) => language === 'sh' && notRun === undefined,
  )
  const commands = shells.flatMap(({ text }) => Array.from(text.matchAll(/^sluice-cli ([a-z].*)$/gm)))
  expect(commands).toHaveLength(5)
  return commands.map(([, command = '']) => {
    const words = command.replaceAll('"', '')
    return Object.entries(variables).reduce((text, [name, value]) => text.replace(name, value), words)
  })
}

const firstAnvilKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

const callerOf =
  (port: number) =>
  (method: string, path: string, { body, headers }: CallOptions = {}) =>
    callApi(`http://127.0.0.1:${port}`, method, path, {
      body,
      headers: { 'content-type': 'application/json', origin: baseUrl, ...headers },
    })
