import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { locales } from '../apps/server/src/pages/messages/locales.ts'
import { judgeMessages, type Messages } from './messages/judge-messages.ts'
import { reportFaults } from './source/fault.ts'
import { repositoryRoot } from './source/list-files.ts'

const folder = 'apps/server/src/pages/messages'

if (process.argv.includes('--help')) {
  console.log(`Usage: node scripts/check-messages.ts

Compares the messages of each language with the English ones: the same files, the same keys, the same placeholders
and tags, and ICU MessageFormat that can be read.`)
} else {
  const english = readLanguage('en')
  reportFaults(
    'messages',
    locales.flatMap((locale) => judgeMessages(folder, locale, english, readLanguage(locale))),
  )
}

function readLanguage(locale: string): Map<string, Messages> {
  const path = join(repositoryRoot, folder, locale)
  const names = readdirSync(path).filter((name) => name.endsWith('.json'))
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(join(path, name), 'utf8'))]))
}
