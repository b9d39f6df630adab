import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckError, reportErrors } from './source/check-error.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { openDocument } from './source/open-document.ts'

// Checks the handwritten docs/reference/dashboard-coverage.md. Every session-only endpoint must have a row
// there, the web app must call the endpoint, and the linked file must contain the test that the row names.
const document = 'docs/reference/dashboard-coverage.md'
const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')

type Operation = { readonly security?: readonly object[] }
const { paths } = openDocument() as { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }
const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { security = [] }]) => {
    const ways = new Set(security.flatMap((each) => Object.keys(each)))
    return ways.has('session') && ways.size === 1 ? [`${method.toUpperCase()} ${path}`] : []
  }),
)
const app = listFiles(repositoryRoot, ['.ts', '.tsx'])
  .filter((path) => path.startsWith('apps/dashboard/src/') && !path.includes('.test.'))
  .map(read)
  .join('\n')
const called = new Set(
  [...app.matchAll(/\bapi\.(GET|POST|PATCH|DELETE)\(\s*'([^']+)'/g)].map(
    ([, method, path]) => `${method} ${path}`,
  ),
)
const row = /^\| `([A-Z]+ [^`]+)` \|.*\[(.+)\]\(\.\.\/\.\.\/([^)]+)\) \|$/gm
const rows = [...read(document).matchAll(row)].map(([, endpoint = '', test = '', file = '']) => ({
  endpoint,
  test,
  file,
}))
const errors = [
  ...endpoints
    .filter((each) => called.has(each) && !rows.some(({ endpoint }) => endpoint === each))
    .map((each) => `${each} has no row`),
  ...rows
    .filter(({ endpoint }) => !endpoints.includes(endpoint))
    .map(({ endpoint }) => `${endpoint} is not for sessions alone`),
  ...rows
    .filter(({ endpoint }) => !called.has(endpoint))
    .map(({ endpoint }) => `the web app does not call ${endpoint}`),
  ...rows
    .filter(
      ({ test, file }) => !read(file).includes(test.replaceAll("'", "\\'")) && !read(file).includes(test),
    )
    .map(({ test, file }) => `${file} has no test “${test}”`),
]
reportErrors(
  `web app: ${endpoints.length} endpoints for sessions`,
  errors.map((message): CheckError => ({ path: document, line: 1, rule: 'web-app', message })),
)
