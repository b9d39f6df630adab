import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEther } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { playGuide } from '../../../../scripts/guide/play-guide.ts'
import { type Block, readBlocks } from '../../../../scripts/guide/read-blocks.ts'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { until } from '../../src/platform/process/process.ts'
import { startPublicChain } from '../flows/payments/public-chain.ts'
import { startDebianCluster, whyNoDebianCluster } from '../support/database/debian-postgres.ts'
import { findProgram } from '../support/programs/run-program.ts'
import { findServicePort } from '../support/programs/service-port.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'
import { registerSecrets } from '../support/secrets/secret-register.ts'

vi.setConfig({ testTimeout: 240_000 })

const whyNot = whyNoDebianCluster() ?? (findProgram('caddy') ? undefined : 'needs the package caddy')

/** Sets up a machine as in the guide, under a folder and with its own ports. */
async function layOutMachine() {
  // The folder contains the machine's secrets.
  const { path, remove } = await makeTemporaryFolder('deploy', { isSearched: false })
  onTestFinished(remove)
  const cluster = await startDebianCluster(path)
  onTestFinished(() => cluster.stop())
  await cluster.ask('DROP DATABASE sluice')
  await cluster.ask('DROP ROLE sluice')
  const chain = await startPublicChain(8453)
  onTestFinished(() => chain.stop())
  const [port, proxyPort] = [await findServicePort(), await findServicePort()]
  for (const name of ['etc', 'etc/caddy', 'etc/systemd/system', 'sbin', 'data'])
    mkdirSync(join(path, name), { recursive: true })
  const places: readonly (readonly [string, string])[] = [
    ['$DOMAIN {', `{\n\tadmin off\n}\nhttp://127.0.0.1:${proxyPort} {`],
    ['127.0.0.1:8080', `127.0.0.1:${port}`],
    ['/opt/sluice', `'${repositoryRoot}'`],
    ['/usr/local/sbin', join(path, 'sbin')],
    ['/var/lib/sluice', join(path, 'data')],
    ['/etc/', `${join(path, 'etc')}/`],
    ['contracts deploy', 'contracts deploy --yes'],
    ['--standard-input factory.json', `--standard-input ${join(path, 'factory.json')}`],
  ]
  const databasePort = new URL(cluster.url).port
  return {
    ...{ path, cluster, chain, port, proxyPort },
    at: (text: string) => places.reduce((all, [from, to]) => all.replaceAll(from, to), text),
    env: {
      ...cluster.env,
      PATH: `${join(path, 'sbin')}:${process.env.PATH}`,
      HOME: path,
      PGPORT: databasePort,
      DOMAIN: 'pay.example.com',
      CHAIN_ID: '8453',
      ENDPOINTS: chain.rpcUrl,
      PLATFORM_RECIPIENT: '0x00000000000000000000000000000000000000aA',
      BACKUP_DIR: join(path, 'backup'),
    },
  }
}

type Machine = Awaited<ReturnType<typeof layOutMachine>>

/** Runs the code blocks under a heading of a page, as root in a terminal on the machine. */
async function play(machine: Machine, page: string, heading: string, isPlayed = (_: Block) => true) {
  const { at, env, path } = machine
  const blocks = readBlocks(readFileSync(join(repositoryRoot, 'docs', page), 'utf8'))
    .filter((block) => block.heading.startsWith(heading) && isPlayed(block))
    .map((block) => ({ ...block, text: at(block.text) }))
  expect(blocks.some(({ language }) => language === 'sh')).toBe(true)
  const signal = AbortSignal.timeout(100_000)
  expect(await playGuide(blocks, { folder: path, env, signal, report: () => {} })).toBeUndefined()
}

/** Runs a command in the background until the end of the test. */
function start(machine: Machine, command: string): void {
  const child = spawn('sh', ['-ec', command], { env: machine.env, cwd: repositoryRoot, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
}

/** Starts the service as systemd would start it from the unit. */
function startUnit(machine: Machine): void {
  const unit = machine.at(readFileSync(join(repositoryRoot, 'deploy/systemd/sluice.service'), 'utf8'))
  const command = /^ExecStart=(.*)$/m.exec(unit)?.[1]
  const script = readFileSync(join(machine.path, 'sbin/sluice-cli'), 'utf8')
  const settings = script.slice(0, script.indexOf('cd '))
  start(machine, `${settings}\nexec ${command}`)
}

const skipped = whyNot ? ` (skipped: it ${whyNot})` : ''

test.skipIf(whyNot)(`by the guide an empty Debian runs the service behind its proxy${skipped}`, async () => {
  const machine = await layOutMachine()
  const { path, chain, port, proxyPort } = machine
  await play(machine, 'deploy.md', '3.')
  const secret = (name: string) => readFileSync(join(path, 'etc/sluice/secrets', name), 'utf8').trim()
  for (const name of readdirSync(join(path, 'etc/sluice/secrets')))
    if (name !== 'rpc_urls') registerSecrets(secret(name))
  // Separate ports for the service and PostgreSQL.
  appendFileSync(join(path, 'etc/sluice/sluice.env'), `PORT=${port}\n`)
  const databaseUrl = join(path, 'etc/sluice/secrets/database_url')
  writeFileSync(databaseUrl, secret('database_url').replace(':5432/', `:${machine.env.PGPORT}/`))

  await play(machine, 'deploy.md', '4.')
  const deployer = privateKeyToAddress(secret('deployer_key') as `0x${string}`)
  await chain.client.setBalance({ address: deployer, value: parseEther('1') })
  await play(machine, 'deploy.md', '5.')

  startUnit(machine)
  const isReady = async () =>
    (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200
  expect(await until(isReady, 60_000)).toBe(true)
  await play(machine, 'deploy.md', '6.')

  await play(machine, 'deploy.md', '7.')
  start(machine, `exec caddy run --adapter caddyfile --config ${join(path, 'etc/caddy/Caddyfile')}`)
  // The proxy replaces the wrong edge secret. Without the proxy, the response would be 403.
  const proxied = async (target: string) =>
    (
      await fetch(`http://127.0.0.1:${proxyPort}${target}`, { headers: { 'x-edge-secret': 'x' } }).catch(
        () => undefined,
      )
    )?.status
  expect(await until(async () => (await proxied('/healthz')) === 200, 30_000)).toBe(true)
  expect([await proxied('/readyz'), await proxied('/metrics')]).toEqual([200, 404])

  await play(machine, 'backup.md', 'Archive every change', ({ text }) => text.includes('archive_command'))
  for (const count of [1, 2, 2]) {
    await play(machine, 'deploy.md', '9.')
    const bases = readdirSync(machine.env.BACKUP_DIR).filter((name) => /^base-\w+Z$/.test(name))
    expect(bases).toHaveLength(count)
  }
})
