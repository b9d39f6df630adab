import type { Output } from './output.ts'

/**
 * The environment variables of the process. `main.ts` alone takes them from it, `settings.ts` knows what they mean;
 * the service's own settings are read as the service reads them.
 */
export type Environment = Readonly<Record<string, string | undefined>>

/** What a command works with. */
export type World = {
  readonly env: Environment
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  readonly out: Output
  /** What was piped in. */
  readStdin(): Promise<string>
  /** Asks whoever sits at the terminal for a line; `undefined` where nobody does. */
  ask(question: string): Promise<string | undefined>
}

/** An option beside those every command has. */
export type Option = {
  /** What stands for the value in the help; absent for a flag. */
  readonly value?: string
  readonly isMany?: boolean
  readonly help: string
}

/** What was typed, checked against the command's options. */
export type Input = {
  /** In the order of the command's `args`. */
  readonly args: readonly string[]
  text(name: string): string | undefined
  texts(name: string): readonly string[]
  has(name: string): boolean
}

/** One command, `receipt create` for example. */
export type Command = {
  readonly path: readonly [group: string, verb: string] | readonly [verb: string]
  readonly summary: string
  /** Names of what stands without a dash; in brackets where it may be left out. */
  readonly args?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  /** More to say in its help, examples above all. */
  readonly details?: string
  /** Gives an exit code where it is not 0. */
  run(world: World, input: Input): Promise<number | undefined>
}

/** Options of every command. */
export const commonOptions: Readonly<Record<string, Option>> = {
  url: { value: 'URL', help: 'URL of the service (default: SLUICE_URL, else the local one)' },
  key: {
    value: 'KEY',
    help: 'subscription key (default: SLUICE_KEY, else the local one); the environment is safer',
  },
  data: { value: 'DIR', help: 'data directory of a local service (default: DATA_DIR, else ./data)' },
  json: { help: 'print JSON only' },
  'no-color': { help: 'no colours (also with NO_COLOR set, or if the output is not a terminal)' },
  help: { help: 'show this help' },
}
