import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, reportFaults } from '../source/fault.ts'
import { listFiles, repositoryRoot } from '../source/list-files.ts'
import { openDocument } from '../source/open-document.ts'
import { endpointTests, noTestYet } from './endpoint-tests.ts'
import { findCalls, findScreens, placeOf } from './find-calls.ts'

const document = 'docs/dashboard-coverage.md'
const app = 'apps/dashboard/src'
const list = 'scripts/dashboard/endpoint-tests.ts'

const help = `Usage: node scripts/dashboard/write-dashboard-coverage.ts [--check]

Writes ${document}: every endpoint that only a session may call, the screen of the web app that calls it,
and the test in a browser that reaches it there. The endpoints come from the API's document, the screens from the
sources of the app, the tests from ${list}.

  --check  only check whether it is up to date`

type Operation = {
  readonly summary?: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

if (process.argv.includes('--help')) {
  console.log(help)
} else {
  const endpoints = listSessionEndpoints()
  const places = findPlaces()
  const tests = findTests()
  const faults = judge(endpoints, places, tests)
  const text = write(endpoints, places, tests)
  const path = join(repositoryRoot, document)
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (readOrNothing(path) !== text)
    faults.push(fault(document, 'differs; run node scripts/dashboard/write-dashboard-coverage.ts'))
  reportFaults(`web app: ${endpoints.length} endpoints for sessions`, faults)
}

/** What no key can call, with its summary. */
function listSessionEndpoints(): { endpoint: string; summary: string }[] {
  const { paths } = openDocument() as { paths: Paths }
  const found = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { summary = '', security = [] }]) => {
      const ways = new Set(security.flatMap((each) => Object.keys(each)))
      const isSessionOnly = ways.has('session') && ways.size === 1
      return isSessionOnly ? [{ endpoint: `${method.toUpperCase()} ${path}`, summary }] : []
    }),
  )
  return found.sort((a, b) => pathOf(a.endpoint).localeCompare(pathOf(b.endpoint)))
}

function pathOf(endpoint: string): string {
  const [method = '', path = ''] = endpoint.split(' ')
  return `${path} ${method}`
}

/** Where in the app each endpoint is called. */
function findPlaces(): ReadonlyMap<string, readonly string[]> {
  const read = (path: string) => readFileSync(join(repositoryRoot, app, path), 'utf8')
  const files = listFiles(join(repositoryRoot, app), ['.ts', '.tsx']).filter(
    (path) => !path.includes('.test.'),
  )
  const screens = new Map(
    files.filter((path) => path.startsWith('routes/')).flatMap((path) => [...findScreens(read(path))]),
  )
  const calls = files.flatMap((path) => findCalls(path, read(path)))
  const byEndpoint = Map.groupBy(calls, ({ endpoint }) => endpoint)
  return new Map(
    [...byEndpoint].map(([endpoint, found]) => [
      endpoint,
      [...new Set(found.map(({ file }) => placeOf(file, screens)))].sort(),
    ]),
  )
}

/** The names of the tests of the app in a browser, with their files. */
function findTests(): readonly { name: string; file: string }[] {
  const folder = 'apps/server/test/browser'
  return listFiles(join(repositoryRoot, folder), ['.test.ts'])
    .filter((path) => path.startsWith('dashboard-'))
    .flatMap((path) => {
      const text = readFileSync(join(repositoryRoot, folder, path), 'utf8')
      const names = [...text.matchAll(/\btest\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)")/g)]
      return names.map(([, single, double]) => ({ name: single ?? double ?? '', file: `${folder}/${path}` }))
    })
}

function judge(
  endpoints: readonly { endpoint: string }[],
  places: ReadonlyMap<string, readonly string[]>,
  tests: readonly { name: string }[],
): Fault[] {
  const known = new Set(endpoints.map(({ endpoint }) => endpoint))
  const missing = endpoints.filter(({ endpoint }) => places.has(endpoint) && !endpointTests[endpoint])
  const named = Object.entries(endpointTests)
  return [
    ...missing.map(({ endpoint }) => fault(list, `${endpoint} has a screen and no test`)),
    ...named
      .filter(([endpoint]) => !known.has(endpoint))
      .map(([endpoint]) => fault(list, `${endpoint} is not an endpoint for sessions alone`)),
    ...named
      .filter(([endpoint]) => known.has(endpoint) && !places.has(endpoint))
      .map(([endpoint]) => fault(list, `${endpoint} has a test and no screen`)),
    ...named
      .filter(([, start]) => start !== noTestYet && !tests.some(({ name }) => name.startsWith(start)))
      .map(([endpoint, start]) => fault(list, `no test begins with “${start}” (${endpoint})`)),
  ]
}

function write(
  endpoints: readonly { endpoint: string; summary: string }[],
  places: ReadonlyMap<string, readonly string[]>,
  tests: readonly { name: string; file: string }[],
): string {
  const covered = endpoints.filter(({ endpoint }) => places.has(endpoint))
  const open = endpoints.filter(({ endpoint }) => !places.has(endpoint))
  const rows = covered.map(({ endpoint, summary }) => {
    const start = endpointTests[endpoint]
    const test = start === undefined ? undefined : tests.find(({ name }) => name.startsWith(start))
    const link = test ? `[${test.name}](../${test.file})` : noTestYet
    const where = places.get(endpoint)?.map((place) => (place.startsWith('/') ? `\`${place}\`` : place))
    return `| \`${endpoint}\` | ${summary} | ${where?.join(', ')} | ${link} |`
  })
  return [
    '# The web app and the endpoints for sessions',
    '',
    'Written by `node scripts/dashboard/write-dashboard-coverage.ts`; `npm run check` reports when it is out of date. Every endpoint',
    'that only a session may call, the screen of the [web app](dashboard.md) that calls it, and the test that reaches it',
    'there in a real browser.',
    '',
    '| Endpoint | | Screen | Test |',
    '|---|---|---|---|',
    ...rows,
    ...(open.length === 0
      ? []
      : [
          '',
          'Without a screen:',
          '',
          ...open.map(({ endpoint, summary }) => `- \`${endpoint}\`: ${summary}`),
        ]),
    '',
  ].join('\n')
}

function fault(path: string, message: string): Fault {
  return { path, line: 1, rule: 'web-app', message }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
