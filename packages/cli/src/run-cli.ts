import type { Program, TestContext } from './command.ts'
import { complete, completionRequest } from './complete.ts'
import { CliFailure, exitCodes, explain } from './failure.ts'
import { findCommand } from './find-command.ts'
import { Output } from './output.ts'
import { parseArguments } from './parse-arguments.ts'

export type Process = Omit<TestContext, 'out'> & {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean }
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean }
}

export async function runCli(program: Program, argv: readonly string[], process: Process): Promise<number> {
  const { env, stdout, stderr } = process
  if (argv[0] === completionRequest) {
    stdout.write(complete(program.commands, argv.slice(1)).join('\n'))
    return exitCodes.done
  }
  const isJson = argv.includes('--json')
  const mayColor = !argv.includes('--no-color') && !env.NO_COLOR && env.TERM !== 'dumb'
  const hasColor = mayColor && !isJson && stdout.isTTY === true
  const out = new Output(stdout, stderr, { isJson, hasColor })
  if (argv.every((word) => word.startsWith('-')) && argv.includes('--version')) {
    const { version } = program
    out.result({ version }, () => out.line(version))
    return exitCodes.done
  }
  try {
    const found = findCommand(program, argv)
    if (typeof found === 'string') {
      stdout.write(`${found}\n`)
      return exitCodes.done
    }
    const { command, rest } = found
    const input = parseArguments(program, command, rest)
    return (await command.run({ ...process, out }, input)) ?? exitCodes.done
  } catch (error) {
    if (process.signal.aborted && !(error instanceof CliFailure)) return exitCodes.interrupted
    const failure = program.explain?.(error) ?? explain(error)
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
