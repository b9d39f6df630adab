import { type Command, commonOptions } from './command.ts'
import { splitWords } from './find-command.ts'

/** First argument with which the completion scripts request the matching words. */
export const completionRequest = '--complete'

/**
 * Returns the words that are valid at the cursor.
 *
 * @param typed - Arguments up to the cursor. The last one is incomplete and can be empty.
 */
export function complete(commands: readonly Command[], typed: readonly string[]): string[] {
  const current = typed.at(-1) ?? ''
  const before = typed.slice(0, -1)
  const [words] = splitWords(before)
  const command = commands.find(({ path }) => path.every((word, i) => word === words[i]))
  const options = { ...command?.options, ...commonOptions }
  const takesValue = options[before.at(-1)?.replace(/^--/, '') ?? '']?.value !== undefined
  const fitting = () => {
    if (takesValue) return []
    if (current.startsWith('-')) return Object.keys(options).map((name) => `--${name}`)
    if (command) return words.length === command.path.length ? (command.choices ?? []) : []
    const [group] = words
    return group === undefined
      ? commands.map(({ path }) => path[0])
      : commands.flatMap(({ path: [first, verb] }) => (first === group && verb ? [verb] : []))
  }
  return [...new Set(fitting())].filter((word) => word.startsWith(current))
}
