import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { countForge } from '../run/count-tests.ts'
import { runCommand } from '../run/run-command.ts'
import { repositoryRoot } from '../source/list-files.ts'

const help = `Usage: npm run mutations:contracts [-- text…] [--list]

Breaks the contracts in one small way after another, in a copy: a demand is left out, or a sign gives way to its
neighbour. Prints which of them turn a test red, and ends with 1 where a demand that is left out turns none.
With texts: only those whose place or line has one of them. --list prints them, and runs none.`

/** Patterns in a line of code, each with its replacement. */
const swaps: readonly (readonly [RegExp, string])[] = [
  [/if \([^;{]+\) revert [^;]+;/g, ''],
  [/\b_only\w+\(\);/g, ''],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ == /g, ' != '],
  [/ != /g, ' == '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \* /g, ' + '],
  [/ >> /g, ' << '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
]

type Mutant = {
  readonly file: string
  readonly place: string
  readonly says: string
  readonly text: string
  readonly isLeftOut: boolean
}

const args = process.argv.slice(2)
const texts = args.filter((arg) => !arg.startsWith('--'))
const source = join(repositoryRoot, 'contracts')
const mutants = readdirSync(join(source, 'src'))
  .filter((name) => name.endsWith('.sol'))
  .flatMap((name) => breakFile(`src/${name}`, readFileSync(join(source, 'src', name), 'utf8')))
  .filter(({ place, says }) => texts.length === 0 || texts.some((text) => `${place} ${says}`.includes(text)))

if (args.includes('--help')) console.log(help)
else if (args.includes('--list')) for (const { place, says } of mutants) console.log(`${place}  ${says}`)
else await run()

function breakFile(file: string, text: string): Mutant[] {
  const lines = text.split('\n')
  return lines.flatMap((line, i) => {
    if (/^\s*(\/\/|\/?\*|import\b|pragma\b)/.test(line)) return []
    return swaps.flatMap(([sign, other]) =>
      [...line.matchAll(sign)].map(({ 0: found, index }) => {
        const broken = line.slice(0, index) + other + line.slice(index + found.length)
        return {
          file,
          place: `contracts/${file}:${i + 1}`,
          says: `${line.trim()}  →  ${broken.trim()}`,
          text: lines.with(i, broken).join('\n'),
          isLeftOut: other === '',
        }
      }),
    )
  })
}

async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'sluice-mutations-'))
  const copy = join(root, 'contracts')
  const left = new Set(['out', 'cache', 'node_modules'])
  try {
    cpSync(source, copy, { recursive: true, filter: (path) => !left.has(basename(path)) })
    symlinkSync(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'))
    if ((await evaluate(copy)) !== 'survived') throw new Error('the tests of the contracts fail unbroken')
    let survivors = 0
    for (const { file, place, says, text, isLeftOut } of mutants) {
      const path = join(copy, file)
      const whole = readFileSync(path, 'utf8')
      writeFileSync(path, text)
      const verdict = await evaluate(copy)
      writeFileSync(path, whole)
      if (verdict === 'survived') survivors += 1
      if (verdict === 'survived' && isLeftOut) process.exitCode = 1
      console.log(`${verdict.padEnd(8)}  ${place}  ${says}`)
    }
    console.log(`\n${mutants.length} mutants, ${survivors} survived`)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Runs the tests in the copy. Returns `invalid` if the contract does not compile. */
async function evaluate(cwd: string): Promise<'caught' | 'survived' | 'invalid'> {
  const args = ['tools/run-forge.ts', 'test', '--fail-fast']
  const { output, exitCode } = await runCommand('node', args, { cwd })
  const { passed, failed } = countForge(stripVTControlCharacters(output))
  if (failed > 0) return 'caught'
  return exitCode === 0 && passed > 0 ? 'survived' : 'invalid'
}
