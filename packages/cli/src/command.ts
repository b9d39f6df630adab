import type { CliFailure } from './failure.ts'
import type { Output } from './output.ts'

/**
 * Environment variables. Only `run-program.ts` reads them from the process, and only `settings.ts` interprets
 * them.
 */
export type Environment = Readonly<Record<string, string | undefined>>

export type TestContext = {
  readonly env: Environment
  readonly signal: AbortSignal
  readonly out: Output
  readStdin(): Promise<string>
  /** Asks a question on the terminal. Returns `undefined` if there is no terminal. */
  ask(question: string): Promise<string | undefined>
}

export type Option = {
  /** Placeholder of the value in the help. Absent for a flag. */
  readonly value?: string
  readonly isMany?: boolean
  readonly help: string
}

export type Input = {
  readonly args: readonly string[]
  text(name: string): string | undefined
  texts(name: string): readonly string[]
  has(name: string): boolean
}

export type Command = {
  readonly path: readonly [group: string, verb: string] | readonly [verb: string]
  readonly summary: string
  /** Names of positional arguments. Optional ones are in brackets. */
  readonly args?: readonly string[]
  readonly choices?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  readonly details?: string
  readonly examples?: readonly string[]
  /** Returns the exit code, or `undefined` for 0. */
  run(context: TestContext, input: Input): Promise<number | undefined>
}

export type Program = {
  readonly name: string
  readonly version: string
  readonly commands: readonly Command[]
  /** Converts an error of the program's own commands. Returns `undefined` for any other error. */
  explain?(error: unknown): CliFailure | undefined
}

export const commonOptions: Readonly<Record<string, Option>> = {
  url: { value: 'URL', help: 'URL of the service (default: SLUICE_URL, else the local one)' },
  key: {
    value: 'KEY',
    help: 'subscription key (default: SLUICE_KEY, else the local one); the environment is safer',
  },
  data: { value: 'DIR', help: 'data directory of a local service (default: DATA_DIR, else ./data)' },
  json: { help: 'print JSON only' },
  'no-color': { help: 'no colors (also with NO_COLOR set, or if the output is not a terminal)' },
  help: { help: 'show this help' },
}
