import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { settings } from '../apps/server/src/platform/settings/settings.ts'
import { checkCommands } from './guide/check-commands.ts'
import { type ApiDocument, checkJson } from './guide/check-json.ts'
import { type Block, readBlocks } from './guide/read-blocks.ts'
import { findPageTest, pageTests } from './guide/tested-pages.ts'
import { type CheckError, reportErrors } from './source/check-error.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { openDocument } from './source/open-document.ts'

// Checks that every code block in the documents is covered: a test runs or compiles the block, a check below
// reads it, or a comment `<!-- not run here: reason -->` precedes it. Also checks the commands in the text.

const excluded = /^(docs\/(decisions\/|style\.md)|(ARCHITECTURE|CHANGELOG|PLAN|THIRD_PARTY_NOTICES)\.md)/
const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
const document = openDocument() as ApiDocument
const counts = new Map<string, number>()
const errors: CheckError[] = []

for (const page of listFiles(repositoryRoot, ['.md']).filter((path) => !excluded.test(path))) {
  const text = read(page)
  const blocks = readBlocks(text)
  for (const [i, block] of blocks.entries()) {
    const found = findRunner(page, block, blocks[i - 1]) ?? (await checkBlock(block))
    if (typeof found === 'string') count(found)
    else report(page, block.line, found)
  }
  const prose = text.replace(/^(`{3,}).*?^\1$/gms, (block) => block.replaceAll(/[^\n]/g, ''))
  for (const { 0: code, 1: command = '', index } of prose.matchAll(
    /`((?:npm (?:run|test|start)|npx|node) [^`]+)`/g,
  )) {
    const reasons = /[<|]/.test(command) ? [] : await checkCommands(command)
    if (reasons.length > 0) report(page, prose.slice(0, index).split('\n').length, reasons)
    else if (code) count('commands in the text, checked')
  }
}
for (const { test, pages, headings = [] } of pageTests) {
  const path = `apps/server/test/${test}`
  const text = existsSync(join(repositoryRoot, path)) ? read(path) : ''
  const names = [...pages.map((page) => basename(page, '.md')), ...headings]
  const missing = text.includes('tested-pages.ts') ? [] : names.filter((name) => !text.includes(name))
  if (text === '' || missing.length > 0) report(path, 1, [`does not name ${missing.join(', ')}`])
}

console.log(
  [...counts]
    .map(([what, number]) => `${number} ${what}`)
    .sort()
    .join('\n'),
)
reportErrors('snippets', errors)

/** Returns the category of a block that a test covers or that is marked as not run, for the summary. */
function findRunner(page: string, block: Block, previous: Block | undefined): string | undefined {
  if (block.notRun !== undefined) return 'blocks not run here'
  const { language, heading, marks } = block
  const isOutput = ['json', 'text'].includes(language) && previous?.language === 'sh'
  const isPart = isOutput ? previous.notRun === undefined : marks.has('file')
  const test =
    findPageTest(page, language, heading) ?? (isPart ? findPageTest(page, 'sh', heading) : undefined)
  if (!test) return undefined
  return test.does === 'run' ? 'blocks run by a test' : `blocks ${test.does} by a test`
}

/** Checks a block. Returns its category for the summary, or its errors. */
async function checkBlock({ language, text, heading }: Block): Promise<string | string[]> {
  const reasons = await findReasons(language, text, heading)
  return reasons.length > 0 ? reasons : `blocks checked (${language})`
}

async function findReasons(language: string, text: string, heading: string): Promise<string[]> {
  if (language === 'sh') return checkCommands(text)
  if (language === 'json')
    return [checkJson(text, endpointsOf(heading), document)].filter((it) => it !== undefined)
  if (language === 'http') {
    const [first = '', ...body] = text.split('\n')
    return [checkJson(body.join('\n'), endpointsOf(first), document)].filter((it) => it !== undefined)
  }
  if (language === 'ini') {
    const names = [...text.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name)
    return names.filter((name) => !(name in settings)).map((name) => `${name} is not a setting`)
  }
  return [
    `no test runs this block, and no check reads \`${language}\`: add a test, or <!-- not run here: reason -->`,
  ]
}

function endpointsOf(text: string): string[] {
  return [...text.matchAll(/\/api\/[^\s`?,]*/g)].map(([path]) => path)
}

function count(what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

function report(path: string, line: number, reasons: readonly string[]): void {
  errors.push(...reasons.map((message): CheckError => ({ path, line, rule: 'snippet', message })))
}
