import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, reportFaults } from './source/fault.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'

// Checks the English of the documentation against docs/style.md, and the subject of the newest commit.
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
/** Pages that quote wrong words, or whose text is checked elsewhere. */
const excluded = ['docs/style.md', 'docs/reference/contract-coverage.md', 'docs/reference/failure-codes.md']

function checkPage(path: string): Fault[] {
  const text = readFileSync(join(repositoryRoot, path), 'utf8')
  const prose = text
    .replaceAll(/^(`{3,}).*?^\1$/gms, (block) => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]*`/g, '``')
    .replaceAll(/\]\([^)]*\)/g, ']')
  return prose.split('\n').flatMap((line, i) =>
    rules.flatMap(([pattern, better]): Fault[] => {
      const found = pattern.exec(line)
      if (!found) return []
      return [
        { path, line: i + 1, rule: 'words', message: `“${found[0].trim().slice(0, 60)}”; better: ${better}` },
      ]
    }),
  )
}

function checkSubject(): Fault[] {
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
reportFaults(`words: ${pages.length} pages`, [...pages.flatMap(checkPage), ...checkSubject()])
