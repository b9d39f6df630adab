import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { locales } from '../apps/server/src/pages/messages/locales.ts'
import { judgeMessages, type Messages } from './messages/judge-messages.ts'
import { type Fault, reportFaults } from './source/fault.ts'
import { repositoryRoot } from './source/list-files.ts'

/** Where messages lie: those of the buyer's pages and those of the merchant's web app. */
const folders = ['apps/server/src/pages/messages', 'apps/dashboard/src/messages']

if (process.argv.includes('--help')) {
  console.log(`Usage: node scripts/check-messages.ts

Compares the messages of each language with the English ones: the same files, the same keys, the same placeholders
and tags, and ICU MessageFormat that can be read.`)
} else {
  reportFaults('messages', folders.flatMap(judgeFolder))
}

function judgeFolder(folder: string): Fault[] {
  const english = readLanguage(folder, 'en')
  return locales.flatMap((locale) => judgeMessages(folder, locale, english, readLanguage(folder, locale)))
}

function readLanguage(folder: string, locale: string): Map<string, Messages> {
  const path = join(repositoryRoot, folder, locale)
  const names = readdirSync(path).filter((name) => name.endsWith('.json'))
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(join(path, name), 'utf8'))]))
}
