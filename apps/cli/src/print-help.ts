import { type Command, commonOptions, type Option } from './command.ts'

const program = 'npm run cli --'

export function printProgramHelp(commands: readonly Command[]): string {
  return `Usage: ${program} <command> [options]

Works with a Sluice service: creates and follows receipts, watches events, tests webhooks, and, on the machine of the
service, manages merchants and keys and finds problems.

${listCommands(commands)}

Options of every command:
${listOptions(commonOptions)}

Exit codes: 0 success, 1 refused or failed, 2 usage error, 3 unreachable, 4 timed out, 130 interrupted.
Programs read --json from \`npm run --silent cli -- …\` or \`npx sluice …\`. The guide is docs/reference/cli.md.`
}

export function printGroupHelp(group: string, commands: readonly Command[]): string {
  return `Usage: ${program} ${group} <command> [options]

${listCommands(commands)}

Run \`${program} ${group} <command> --help\` for details.`
}

export function printCommandHelp(command: Command): string {
  const args = (command.args ?? []).map((name) => ` ${name}`).join('')
  const own =
    Object.keys(command.options ?? {}).length > 0 ? `\nOptions:\n${listOptions(command.options ?? {})}\n` : ''
  return `Usage: ${program} ${command.path.join(' ')}${args} [options]

${command.summary}.
${command.details ? `\n${command.details}\n` : ''}${own}
Options of every command:
${listOptions(commonOptions)}`
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
