import { readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

/**
 * Implements the subset of curl that our documents use: one URL, headers, a body, the method, an output file,
 * failure on an error status, and printing the status.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    fail: { type: 'boolean', short: 'f' },
    'fail-with-body': { type: 'boolean' },
    include: { type: 'boolean', short: 'i' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    'data-binary': { type: 'string' },
    output: { type: 'string', short: 'o' },
    'write-out': { type: 'string', short: 'w', default: '' },
  },
})
const given = values['data-binary'] ?? values.data
const body = given === undefined ? undefined : await readBody(given, values['data-binary'] !== undefined)
const headers = new Headers(
  values.header.map((line): [string, string] => {
    const [name = '', ...rest] = line.split(':')
    return [name, rest.join(':').trim()]
  }),
)
if (body !== undefined && !headers.has('content-type'))
  headers.set('content-type', 'application/x-www-form-urlencoded')
const method = values.request ?? (body === undefined ? 'GET' : 'POST')
const response = await fetch(positionals[0] ?? '', { method, headers, ...(body !== undefined && { body }) })
const answered = await response.text()
if (response.status >= 400 && (values.fail || values['fail-with-body'])) {
  if (values['fail-with-body']) process.stdout.write(answered)
  console.error(`curl: (22) The requested URL returned error: ${response.status}`)
  process.exitCode = 22
} else {
  const head = values.include
    ? `HTTP/1.1 ${response.status}\r\n${[...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
    : ''
  if (values.output === undefined) process.stdout.write(head + answered)
  else writeFileSync(values.output, head + answered)
}
process.stdout.write(
  values['write-out'].replaceAll('%{http_code}', `${response.status}`).replaceAll('\\n', '\n'),
)

/** Reads `@file` from the file and `@-` from standard input. Without `--data-binary`, removes line breaks. */
async function readBody(value: string, isBinary: boolean): Promise<string> {
  if (!value.startsWith('@')) return value
  const content = value === '@-' ? await text(process.stdin) : readFileSync(value.slice(1), 'utf8')
  return isBinary ? content : content.replaceAll(/[\r\n]/g, '')
}
