import { parseArgs } from 'node:util'
import { type Command, commonOptions, type Input, type Program } from './command.ts'
import { usageError } from './failure.ts'
import { suggest } from './suggest.ts'

/** @throws {CliFailure} with exit code 2. */
export function parseArguments(program: Program, command: Command, argv: readonly string[]): Input {
  const known = { ...command.options, ...commonOptions }
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value, isMany = false }]) => [
      name,
      value === undefined ? { type: 'boolean' as const } : { type: 'string' as const, multiple: isMany },
    ]),
  )
  const seeHelp = `Run: ${program.name} ${command.path.join(' ')} --help`
  const { values, positionals } = parse(argv, options)
  const args = command.args ?? []
  const needed = args.filter((name) => !name.startsWith('['))
  if (positionals.length < needed.length)
    throw usageError(`${needed[positionals.length]} is missing`, seeHelp)
  if (positionals.length > args.length)
    throw usageError(
      `Unexpected argument '${positionals[args.length]}': too many for ${command.path.join(' ')}`,
      seeHelp,
    )
  return {
    args: positionals,
    text: (option) => values[option] as string | undefined,
    texts: (option) => (values[option] as string[] | undefined) ?? [],
    has: (option) => values[option] === true,
  }

  function parse(given: readonly string[], spec: typeof options) {
    try {
      return parseArgs({ args: [...given], options: spec, allowPositionals: true, strict: true })
    } catch (error) {
      const [first = 'invalid command line'] = (error as Error).message.split('. ')
      const [, unknown] = /^Unknown option '(--[^']+)'/.exec(first) ?? []
      const names = Object.keys(known).map((name) => `--${name}`)
      throw usageError(first, (unknown && suggest(unknown, names)) ?? seeHelp)
    }
  }
}

/** @throws {CliFailure} with exit code 2 if the value is not an integer or out of bounds. */
export function readInteger(
  input: Input,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const text = input.text(name)
  if (text === undefined) return undefined
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw usageError(`--${name} must be a whole number from ${min} to ${max}`)
}

/** @throws {CliFailure} with exit code 2 unless the amount has at most two decimals. */
export function readMoney(text: string, what: string): number {
  if (/^-?\d{1,10}(\.\d{1,2})?$/.test(text)) return Number(text)
  throw usageError(`${what} must be an amount with at most two decimals, for example 12.50`)
}

/** @throws {CliFailure} with exit code 2 unless the text is a JSON object. */
export function readObject(text: string, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Reported by the error below.
  }
  throw usageError(`${what} must be a JSON object`)
}
