import { type Command, commonOptions, type Option, type Program } from './command.ts'

export function printProgramHelp(program: Program): string {
  const { name, commands } = program
  return `Usage: ${name} <command> [options]

${listCommands(commands)}

Options of every command:
${listOptions({ ...commonOptions, version: { help: 'show the version, without a command' } })}

Exit codes: 0 success, 1 error or failed check, 2 usage error, 3 unreachable, 4 timed out, 130 interrupted.
Run \`${name} <command> --help\` for details.`
}

export function printGroupHelp({ name, commands }: Program, group: string): string {
  return `Usage: ${name} ${group} <command> [options]

${listCommands(commands.filter(({ path }) => path[0] === group))}

Run \`${name} ${group} <command> --help\` for details.`
}

export function printCommandHelp({ name }: Program, command: Command): string {
  const { path, args = [], options = {}, details, examples = [] } = command
  const parts = [
    `Usage: ${[name, ...path, ...args].join(' ')} [options]`,
    `${command.summary}.`,
    details,
    examples.length > 0 && `Examples:\n${examples.map((each) => `  ${name} ${each}`).join('\n')}`,
    Object.keys(options).length > 0 && `Options:\n${listOptions(options)}`,
    `Options of every command:\n${listOptions(commonOptions)}`,
  ]
  return parts.filter(Boolean).join('\n\n')
}

function listCommands(commands: readonly Command[]): string {
  const rows = commands.map(
    ({ path, args = [], summary }) => [[...path, ...args].join(' '), summary] as const,
  )
  return list(rows)
}

function listOptions(options: Readonly<Record<string, Option>>): string {
  return list(
    Object.entries(options).map(([name, { value, isMany, help }]) => [
      `--${name}${value === undefined ? '' : ` ${value}`}`,
      isMany ? `${help}; can be repeated` : help,
    ]),
  )
}

function list(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`).join('\n')
}
