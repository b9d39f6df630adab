const head = `# Every setting of Sluice. None is needed on a developer's machine.
# Copy this file to .env and fill in what you need; what is empty keeps its default.
# A value in the environment stands above one in the file.
`

/** The text of `.env.example`: each setting, empty, below what it does. */
export function writeEnvExample(settings: Readonly<Record<string, string>>): string {
  return head + Object.entries(settings).map(writeSetting).join('')
}

function writeSetting([name, what]: [string, string]): string {
  return `\n# ${what}\n${name}=\n`
}
