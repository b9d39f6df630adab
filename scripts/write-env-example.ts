const head = `# All settings of Sluice. None is required on a developer's machine.
# Copy this file to .env and fill in what you need; empty settings keep their defaults.
# A value in the environment takes precedence over one in the file.
# A secret can be set as NAME_FILE instead: the path of a file that contains the value.
`

/** The text of `.env.example`: each setting, empty, below what it does; a secret with the file it may stand in. */
export function writeEnvExample(
  settings: Readonly<Record<string, string>>,
  secrets: readonly string[],
): string {
  const write = ([name, what]: [string, string]) =>
    `\n# ${what}\n${name}=\n${secrets.includes(name) ? `${name}_FILE=\n` : ''}`
  return head + Object.entries(settings).map(write).join('')
}
