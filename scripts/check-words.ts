import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { listAnchors } from './guide/list-anchors.ts'
import { type CheckError, reportErrors } from './source/check-error.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { readIfThere } from './source/write-or-check.ts'

// Checks the English of documentation, comments and user-facing texts against docs/style.md. Also checks the
// documents that the code cites, and the subject of the newest commit.
const rules: readonly (readonly [RegExp, string])[] = [
  [/\bbeside\b/i, 'next to, in addition to'],
  [/\banew\b/i, 'again; rebuilt, reread, refreshed'],
  [/\bby itself\b/i, 'automatically, alone'],
  [/\bleans? on\b/i, 'depends on, uses'],
  [/\bowed\b/i, 'due'],
  [/\b(whoever|who asks)\b/i, 'the caller, the client'],
  [/\bcame to\b/i, 'result, outcome'],
  [/\bgoes on\b/i, 'continues'],
  [/\b(of late|lately)\b/i, 'recently'],
  [/\bfor ever\b/i, 'permanently'],
  [/\b(is|are|was|were) told\b/i, 'is notified'],
  [/\bstands? (in|on|at|there|for)\b/i, 'is, exists, is stored'],
  [/(^|[.|:] |^[-*] )(What|Whose|Those that) (?!is new|to)[a-z]+ [^?|]*(\.|$)/, 'a noun first'],
  [/\bwhat (is|was|are|were) \w+ (is|was|are|were)\b/i, 'a noun in place of "what is"'],
]
/** Pages that quote banned words, or whose text is checked elsewhere. */
const excluded = ['docs/style.md', 'docs/reference/contract-coverage.md', 'docs/reference/failure-codes.md']

/** Rule for the beginning of comments: these words hint at something instead of naming it. */
const commentRule = [
  /^(What|Who|Whoever|Whose|Those that|Where|How) (?!to)/,
  'a verb or a noun first',
] as const
const known = new Map<string, ReadonlySet<string>>()
/** Rules for user-facing texts: messages, errors, descriptions and log lines. */
const textRules: typeof rules = [
  [/^(What|Whoever|Whose|Those) (?!to)[^?]*$/, 'a verb or a noun first'],
  [/\b(answers|does not answer|not answered|no answer|answered (by|with))\b/i, 'respond, response, return'],
  [/\b(nobody|somebody|everybody)\b/i, 'the role: the buyer, the operator'],
  [/\b(is|are) to be [a-z]+ed\b/i, 'must be, will be'],
  [/\brefuse[sd]?\b(?!-)/i, 'reject'],
  [/\b(set aside|books)\b/i, 'deferred; ledger'],
  [/\b(\d+|special|of) signs\b/i, 'characters'],
]
/** Matches SQL, markup, CSS and shell commands. */
const isCode =
  /\b(SELECT|INSERT|UPDATE|DELETE|WHERE|FROM|AND|CREATE|ALTER)\b|^(function|event) |<[a-z]|[{};]\s*$/
/** Folders whose comments and texts are checked. */
const checked = /^(apps\/(server|cli)|packages\/(protocol|sdk|cli|browser-wallet))\/src\//

function checkPage(path: string): CheckError[] {
  const text = readFileSync(join(repositoryRoot, path), 'utf8')
  const prose = text
    .replaceAll(/^(`{3,}).*?^\1$/gms, (block) => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]*`/g, '``')
    .replaceAll(/\]\([^)]*\)/g, ']')
  return prose.split('\n').flatMap((line, i) => checkText(line, path, i + 1, rules))
}

function checkComments(path: string): CheckError[] {
  const text = readFileSync(join(repositoryRoot, path), 'utf8')
  return parseSync(path, text).comments.flatMap(({ value, start }) => {
    const line = text.slice(0, start).split('\n').length
    const prose = value.replaceAll(/^[\s*]+/gm, '').replaceAll(/`[^`]*`/g, '``')
    return prose.startsWith('biome-ignore') ? [] : checkText(prose, path, line, [...rules, commentRule])
  })
}

/**
 * Checks the citations in a file. A citation is a document's path with an anchor:
 * `docs/contract.md#receipts`.
 */
function checkCitations(path: string): CheckError[] {
  const lines = readFileSync(join(repositoryRoot, path), 'utf8').split('\n')
  return lines.flatMap((text, i): CheckError[] => {
    const place = { path, line: i + 1, rule: 'citation' }
    const broken = Array.from(
      text.matchAll(/\b(docs\/[\w/-]+\.md)#([\w-]+)/g),
      ([found, page = '', anchor = '']) =>
        anchorsOf(page).has(anchor) ? [] : [{ ...place, message: `${found} is not a heading of that page` }],
    ).flat()
    const isElsewhere = /\/\/ contract: |\bdecisions: |^\s*(\/?\*|\/\/|--).*§/.test(text)
    return isElsewhere ? [...broken, { ...place, message: 'cite a heading of docs/contract.md' }] : broken
  })
}

function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = known.get(page) ?? listAnchors(readIfThere(page) ?? '')
  known.set(page, anchors)
  return anchors
}

/** Checks the string literals that read like sentences: at least three words, and no code. */
function checkLiterals(path: string): CheckError[] {
  const text = readFileSync(join(repositoryRoot, path), 'utf8')
  const errors: CheckError[] = []
  const visitor = new Visitor({
    Literal: ({ value, start }) => check(value, start),
    TemplateLiteral: ({ quasis, start }) => check(quasis.map((part) => part.value.cooked).join('…'), start),
  })
  visitor.visit(parseSync(path, text).program)
  return errors

  function check(value: unknown, start: number): void {
    if (typeof value !== 'string' || !/[a-z]+ [a-z]+ [a-z]+/i.test(value) || isCode.test(value)) return
    const line = text.slice(0, start).split('\n').length
    const prose = value.replaceAll(/`[^`]*`/g, '``')
    errors.push(...checkText(prose, path, line, [...rules, ...textRules]))
  }
}

function checkMessages(path: string): CheckError[] {
  const lines = readFileSync(join(repositoryRoot, path), 'utf8').split('\n')
  return lines.flatMap((line, i) => {
    const [, prose] = /^ *"[^"]+": "(.*)",?$/.exec(line) ?? []
    return prose === undefined ? [] : checkText(prose, path, i + 1, [...rules, ...textRules])
  })
}

function checkText(text: string, path: string, line: number, by: typeof rules): CheckError[] {
  return by.flatMap(([pattern, better]): CheckError[] => {
    const found = pattern.exec(text)
    if (!found) return []
    const message = `“${found[0].trim().slice(0, 60)}”; better: ${better}`
    return [{ path, line, rule: 'words', message }]
  })
}

function checkSubject(): CheckError[] {
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%s'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  })
  const subject = stdout?.trim() ?? ''
  const isRight =
    subject.length <= 72 && /^(feat|fix|perf|refactor|test|docs|build|ci)(\([\w-]+\))?: \S/.test(subject)
  if (status !== 0 || isRight || subject.startsWith('Merge ')) return []
  const message = `“${subject}” is not \`type(module): what it does now\` in at most 72 characters`
  return [{ path: 'the newest commit', line: 1, rule: 'subject', message }]
}

const pages = listFiles(repositoryRoot, ['.md']).filter((path) => !excluded.includes(path))
const sources = listFiles(repositoryRoot, ['.ts', '.mjs']).filter((path) => checked.test(path))
const texts = sources.filter((path) => !/\.test\.ts$/.test(path))
const messages = listFiles(repositoryRoot, ['.json']).filter((path) =>
  /\/src\/messages\/en\/|\/pages\/messages\/en\//.test(path),
)
const citing = listFiles(repositoryRoot, ['.ts', '.tsx', '.mjs', '.sol', '.sql'])
const errors = [
  ...pages.flatMap(checkPage),
  ...sources.flatMap(checkComments),
  ...texts.flatMap(checkLiterals),
  ...messages.flatMap(checkMessages),
  ...citing.flatMap(checkCitations),
  ...checkSubject(),
]
reportErrors(
  `words: ${pages.length} pages, ${sources.length} sources, ${messages.length} message files`,
  errors,
)
