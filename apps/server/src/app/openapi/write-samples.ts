import { type JsonValue, type SampleCall, sampleCalls } from './sample-calls.ts'

/** A sample as the API's document has it under `x-codeSamples`. */
export type CodeSample = { readonly lang: string; readonly label: string; readonly source: string }

/**
 * The call as a program in each language, to be run as it stands (TypeScript as a module, `.mts`): it prints the
 * answer, and ends with an error where the service refuses. Needs `SLUICE_URL`, `SLUICE_KEY` and what the path
 * names in the environment, and no packages. Pure.
 */
export function writeSamples(method: string, call: SampleCall): readonly CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: writeCurl(method, call) },
    { lang: 'TypeScript', label: 'TypeScript', source: writeTypeScript(method, call) },
    { lang: 'Python', label: 'Python', source: writePython(method, call) },
  ]
}

const fromEnvironment = /\{([A-Z_]+)\}/g

function writeCurl(method: string, call: SampleCall): string {
  const { body, csv } = call
  const url = `"$SLUICE_URL${call.path.replaceAll(fromEnvironment, '$$$1')}"`
  const hasBody = body !== undefined || csv !== undefined
  const isSaid = method === (hasBody ? 'POST' : 'GET')
  const words = [
    `curl -sS --fail-with-body ${isSaid ? '' : `-X ${method} `}${url}`,
    ...headersOf(method, call).map(([name, value]) =>
      isFixed(value)
        ? `-H '${name}: ${value}'`
        : `-H "${name}: ${value.replaceAll(fromEnvironment, '$$$1')}"`,
    ),
    ...(body === undefined ? [] : [`-d ${quoteShell(writeValue(body, json, '  ', '  '))}`]),
    ...(csv === undefined ? [] : [`--data-binary ${quoteShell(csv.join('\n'))}`]),
  ]
  return words.join(' \\\n  ')
}

function writeTypeScript(method: string, call: SampleCall): string {
  const { body, csv } = call
  const url = `\`\${process.env.SLUICE_URL}${call.path.replaceAll(fromEnvironment, '$${process.env.$1}')}\``
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...block(
      'headers: {',
      headersOf(method, call).map(([name, value]) => `${script.name(name)}: ${writeScriptText(value)},`),
      '},',
    ),
    ...(body === undefined ? [] : [`body: JSON.stringify(${writeValue(body, script, '  ')}),`]),
    ...(csv === undefined ? [] : [`body: ${script.text(csv.join('\n'))},`]),
  ]
  const read = isCsvAnswer(call) ? 'text' : 'json'
  return [
    ...(options.length === 0
      ? [`const answer = await fetch(${url})`]
      : block(`const answer = await fetch(${url}, {`, options, '})')),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the sample's own
    'if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)',
    `console.log(await answer.${read}())`,
  ].join('\n')
}

function writePython(method: string, call: SampleCall): string {
  const { body, csv } = call
  const lines = [
    `os.environ["SLUICE_URL"] + ${writePythonText(call.path)},`,
    ...(method === 'GET' ? [] : [`method="${method}",`]),
    ...block(
      'headers={',
      headersOf(method, call).map(([name, value]) => `"${name}": ${writePythonText(value)},`),
      '},',
      '    ',
    ),
    ...(body === undefined ? [] : [`data=json.dumps(${writeValue(body, python, '    ')}).encode(),`]),
    ...(csv === undefined ? [] : [`data=${python.text(csv.join('\n'))}.encode(),`]),
  ]
  const isJson = !isCsvAnswer(call)
  return [
    ...(isJson ? ['import json'] : []),
    'import os',
    'import urllib.request',
    '',
    ...block('request = urllib.request.Request(', lines, ')', '    '),
    'with urllib.request.urlopen(request) as answer:',
    isJson ? '    print(json.dumps(json.load(answer), indent=2))' : '    print(answer.read().decode())',
  ].join('\n')
}

/** With `{NAME}` for what is taken from the environment. */
function headersOf(method: string, call: SampleCall): [name: string, value: string][] {
  const headers: [string, string][] = []
  if (call.as === undefined) headers.push(['Ocp-Apim-Subscription-Key', '{SLUICE_KEY}'])
  if (call.as === 'session') headers.push(['Cookie', 'cb_auth_token={SLUICE_SESSION}'])
  if (call.as === 'session' && method !== 'GET')
    headers.push(['X-CSRF-Token', '{SLUICE_CSRF}'], ['Origin', '{SLUICE_URL}'])
  if (call.body !== undefined) headers.push(['Content-Type', 'application/json'])
  if (call.csv !== undefined) headers.push(['Content-Type', 'text/csv'])
  return headers
}

function isFixed(text: string): boolean {
  return text.search(fromEnvironment) === -1
}

function writeScriptText(text: string): string {
  const whole = /^\{([A-Z_]+)\}$/.exec(text)?.[1]
  if (whole) return `process.env.${whole} ?? ''`
  return isFixed(text) ? script.text(text) : `\`${text.replaceAll(fromEnvironment, '$${process.env.$1}')}\``
}

function writePythonText(text: string): string {
  const whole = /^\{([A-Z_]+)\}$/.exec(text)?.[1]
  if (whole) return `os.environ["${whole}"]`
  const formatted = JSON.stringify(text.replaceAll(fromEnvironment, "{os.environ['$1']}"))
  return isFixed(text) ? formatted : `f${formatted}`
}

function isCsvAnswer(call: SampleCall): boolean {
  return call.path.split('?')[0]?.endsWith('/export') ?? false
}

/** Nothing where there is nothing inside. */
function block(head: string, inside: readonly string[], foot: string, indent = '  '): string[] {
  if (inside.length === 0) return []
  return [head, ...inside.flatMap((each) => each.split('\n').map((line) => indent + line)), foot]
}

/** How a language writes its values. */
type Notation = {
  readonly text: (value: string) => string
  readonly name: (value: string) => string
  readonly words: Readonly<Record<string, string>>
  readonly gap: string
  readonly lastComma: string
}

const json: Notation = { text: JSON.stringify, name: JSON.stringify, words: {}, gap: ' ', lastComma: '' }
const script: Notation = {
  text: (value) => `'${JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`,
  name: (value) => (/^[A-Za-z_]\w*$/.test(value) ? value : script.text(value)),
  words: {},
  gap: ' ',
  lastComma: ',',
}
const python: Notation = {
  text: JSON.stringify,
  name: JSON.stringify,
  words: { true: 'True', false: 'False', null: 'None' },
  gap: '',
  lastComma: ',',
}

/** On one line what is short or holds nothing that holds something; else a line for each. */
function writeValue(value: JsonValue, notation: Notation, indent: string, outer = ''): string {
  if (typeof value === 'string') return notation.text(value)
  if (typeof value !== 'object' || value === null) return notation.words[`${value}`] ?? `${value}`
  const isList = Array.isArray(value)
  const [open, close] = isList ? '[]' : '{}'
  const inner = outer + indent
  const write = (isFlat: boolean) =>
    Object.entries(value).map(([name, each]: [string, JsonValue]) => {
      const written = writeValue(each, notation, indent, isFlat ? outer : inner)
      return isList ? written : `${notation.name(name)}: ${written}`
    })
  const flat = write(true)
  const gap = isList ? '' : notation.gap
  const line = `${open}${gap}${flat.join(', ')}${gap}${close}`
  if (!line.includes('\n') && line.length <= 72) return line
  const lines = write(false).map((each) => inner + each)
  return `${open}\n${lines.join(',\n')}${notation.lastComma}\n${outer}${close}`
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

type Json = Readonly<Record<string, unknown>>

const howToRun =
  'The samples run as they are (TypeScript as a module, `.mts`). They read the address of the service from ' +
  '`SLUICE_URL`, the key from `SLUICE_KEY`, and other path parameters from variables of the same name. Operations ' +
  'that require a session read the cookie from `SLUICE_SESSION` and its `csrfToken` from `SLUICE_CSRF`.'

/** The API's document with samples in curl, TypeScript and Python at each operation that has one. */
export function addCodeSamples(document: Json): Json {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Json>>>>
  const described = Object.entries(paths).map(([path, operations]) => {
    const withSamples = Object.entries(operations).map(([method, operation]) => {
      const name = method.toUpperCase()
      const call = sampleCalls[`${name} ${path}`]
      return [method, call ? { ...operation, 'x-codeSamples': writeSamples(name, call) } : operation]
    })
    return [path, Object.fromEntries(withSamples)]
  })
  const info = document.info as Json
  const description = `${info.description}\n\n${howToRun}`
  return { ...document, info: { ...info, description }, paths: Object.fromEntries(described) }
}
