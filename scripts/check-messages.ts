import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { locales } from '../apps/server/src/pages/messages/locales.ts'
import { type CheckError, reportErrors } from './source/check-error.ts'
import { repositoryRoot } from './source/list-files.ts'

// Compares the messages of each language with the English ones. Files, keys, placeholders and tags must
// match, and every message must be valid ICU MessageFormat.
const folders = ['apps/server/src/pages/messages', 'apps/dashboard/src/messages']
const errors: CheckError[] = []

for (const folder of folders) {
  const english = readLanguage(`${folder}/en`)
  for (const locale of locales) verifyLanguage(`${folder}/${locale}`, english)
}
reportErrors('messages', errors)

function readLanguage(folder: string): Map<string, string> {
  const path = join(repositoryRoot, folder)
  const found = new Map<string, string>()
  for (const file of readdirSync(path).filter((name) => name.endsWith('.json')))
    for (const [key, text] of Object.entries<string>(JSON.parse(readFileSync(join(path, file), 'utf8')))) {
      if (!key.startsWith(file.replace('json', '')))
        error(folder, `${key} belongs in another file than ${file}`)
      found.set(key, text)
    }
  return found
}

function verifyLanguage(folder: string, english: ReadonlyMap<string, string>): void {
  const other = readLanguage(folder)
  for (const key of english.keys()) if (!other.has(key)) error(folder, `${key} is missing`)
  for (const [key, text] of other) {
    const ours = english.get(key)
    const slots = slotsOf(text)
    if (ours === undefined) error(folder, `${key} is not in English`)
    else if (slots === undefined) error(folder, `${key} is not ICU MessageFormat`)
    else if (text.trim() === '') error(folder, `${key} is empty`)
    else if (slots !== slotsOf(ours))
      error(folder, `${key} has ${slots || 'no gaps'}, English has ${slotsOf(ours)}`)
  }
}

function error(path: string, message: string): void {
  errors.push({ path, line: 1, rule: 'messages', message })
}

/** Returns the sorted placeholders and tags of a message, or `undefined` if it cannot be parsed. */
function slotsOf(text: string): string | undefined {
  try {
    return [...new Set(parse(text).flatMap(slotsIn))].sort().join(' ')
  } catch {
    return undefined
  }
}

function slotsIn(node: MessageFormatElement): string[] {
  if (node.type === TYPE.literal || node.type === TYPE.pound) return []
  if (node.type === TYPE.tag) return [`<${node.value}>`, ...node.children.flatMap(slotsIn)]
  const inner = node.type === TYPE.select || node.type === TYPE.plural ? Object.values(node.options) : []
  return [`{${node.value}}`, ...inner.flatMap(({ value }) => value.flatMap(slotsIn))]
}
