import { type Command, commonOptions, type TestContext } from './command.ts'
import { commands } from './commands.ts'
import { CliFailure, exitCodes, explain, usageError } from './failure.ts'
import { Output } from './output.ts'
import { parseArguments } from './parse-arguments.ts'
import { printCommandHelp, printGroupHelp, printProgramHelp } from './print-help.ts'

export type Process = Omit<TestContext, 'out'> & {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean }
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean }
}

/** Runs a command line and returns the exit code. Prints errors to stderr. */
export async function runCli(argv: readonly string[], process: Process): Promise<number> {
  const { env, stdout, stderr } = process
  const isJson = argv.includes('--json')
  const mayColor = !argv.includes('--no-color') && !env.NO_COLOR && env.TERM !== 'dumb'
  const hasColor = mayColor && !isJson && stdout.isTTY === true
  const out = new Output(stdout, stderr, { isJson, hasColor })
  try {
    const found = findCommand(argv)
    if (typeof found === 'string') {
      stdout.write(`${found}\n`)
      return exitCodes.done
    }
    const { command, rest } = found
    const input = parseArguments(command, rest)
    return (await command.run({ ...process, out }, input)) ?? exitCodes.done
  } catch (error) {
    if (process.signal.aborted && !(error instanceof CliFailure)) return exitCodes.interrupted
    const failure = explain(error)
    if (isJson) {
      const { code, message, hint } = failure
      out.note(JSON.stringify({ error: code, message, ...(hint !== undefined && { hint }) }))
    } else {
      const canColor = mayColor && stderr.isTTY === true
      out.note(`${canColor ? '\u001b[31merror\u001b[0m' : 'error'}: ${failure.message}`)
      if (failure.hint) out.note(failure.hint)
    }
    return failure.exitCode
  }
}

/** Returns the command and its arguments, or the text of the requested help. */
function findCommand(argv: readonly string[]): { command: Command; rest: readonly string[] } | string {
  const wantsHelp = argv.includes('--help') || argv.includes('-h')
  const [words, rest] = splitWords(argv)
  const [first, second] = words
  if (first === undefined) {
    if (wantsHelp) return printProgramHelp(commands)
    throw usageError('Specify a command', printProgramHelp(commands))
  }
  const group = commands.filter(({ path }) => path[0] === first)
  if (group.length === 0) throw usageError(`Unknown command '${first}'`, 'Run: --help')
  const command = group.find(({ path }) => path.length === 1 || path[1] === second)
  if (command && wantsHelp) return printCommandHelp(command)
  if (command) return { command, rest: [...words.slice(command.path.length), ...rest] }
  if (wantsHelp && second === undefined) return printGroupHelp(first, group)
  const names = group.map(({ path }) => path.join(' ')).join(', ')
  throw usageError(
    second === undefined ? `Specify a command for ${first}` : `Unknown command '${first} ${second}'`,
    `Available: ${names}`,
  )
}

/** Splits off the words before the first option. Common options can precede the command. */
function splitWords(argv: readonly string[]): [words: readonly string[], rest: readonly string[]] {
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
