import { type Command, commonOptions, type Program } from './command.ts'
import { usageError } from './failure.ts'
import { printCommandHelp, printGroupHelp, printProgramHelp } from './print-help.ts'
import { suggest } from './suggest.ts'

export function findCommand(
  program: Program,
  argv: readonly string[],
): { command: Command; rest: readonly string[] } | string {
  const { name, commands } = program
  const wantsHelp = argv.includes('--help') || argv.includes('-h')
  const [words, rest] = splitWords(argv)
  const [first, second] = words
  if (first === undefined) {
    if (wantsHelp) return printProgramHelp(program)
    throw usageError('Specify a command', printProgramHelp(program))
  }
  const group = commands.filter(({ path }) => path[0] === first)
  if (group.length === 0) {
    const hint = suggest(
      first,
      commands.map(({ path }) => path[0]),
    )
    throw usageError(`Unknown command '${first}'`, hint ?? `Run: ${name} --help`)
  }
  const command = group.find(({ path }) => path.length === 1 || path[1] === second)
  if (command && wantsHelp) return printCommandHelp(program, command)
  if (command) return { command, rest: [...words.slice(command.path.length), ...rest] }
  if (wantsHelp && second === undefined) return printGroupHelp(program, first)
  const paths = group.map(({ path }) => path.join(' '))
  const available = `Available: ${paths.join(', ')}`
  if (second === undefined) throw usageError(`Specify a command for ${first}`, available)
  const verbs = group.flatMap(({ path: [, verb] }) => verb ?? [])
  throw usageError(`Unknown command '${first} ${second}'`, suggest(second, verbs, `${first} `) ?? available)
}

/** Splits off the words before the first option. Common options can precede the command. */
export function splitWords(argv: readonly string[]): [words: readonly string[], rest: readonly string[]] {
  const before: string[] = []
  let at = 0
  while (argv[at]?.startsWith('--')) {
    const word = argv[at] ?? ''
    const takesValue = commonOptions[word.slice(2)]?.value !== undefined
    before.push(...argv.slice(at, at + (takesValue ? 2 : 1)))
    at += takesValue ? 2 : 1
  }
  const words = argv.slice(at)
  const end = words.findIndex((word) => word.startsWith('-') && word !== '-')
  return end < 0 ? [words, before] : [words.slice(0, end), [...before, ...words.slice(end)]]
}
