import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import type checkout from './en/checkout.json'
import type claim from './en/claim.json'
import type embed from './en/embed.json'
import type error from './en/error.json'
import type preview from './en/preview.json'
import type receipt from './en/receipt.json'
import type sandbox from './en/sandbox.json'
import type site from './en/site.json'
import type store from './en/store.json'
import type wallet from './en/wallet.json'
import { type Locale, localeFacts } from './locales.ts'

/** The English messages: one file for each part of the pages, named as the first word of its keys. */
type English = typeof checkout &
  typeof claim &
  typeof embed &
  typeof error &
  typeof preview &
  typeof receipt &
  typeof sandbox &
  typeof site &
  typeof store &
  typeof wallet

/** What a message is asked for by. */
export type MessageKey = keyof English

const folder = (locale: Locale) => new URL(`./${locale}/`, import.meta.url)
const textsOf = new Map<Locale, ReadonlyMap<string, string>>()
const compiledOf = new Map<string, IntlMessageFormat>()

/** Every message of a language, in ICU MessageFormat; read once. None of a language that nobody has translated to. */
export function readMessages(locale: Locale): ReadonlyMap<string, string> {
  const known = textsOf.get(locale)
  if (known) return known
  const names = existsSync(folder(locale)) ? readdirSync(folder(locale)) : []
  const files = names.filter((name) => name.endsWith('.json'))
  const texts = new Map(
    files.flatMap((name) => {
      const content: Record<string, string> = JSON.parse(readFileSync(new URL(name, folder(locale)), 'utf8'))
      return Object.entries(content)
    }),
  )
  textsOf.set(locale, texts)
  return texts
}

/** A message ready to be filled. In English where a language lacks it, which the check does not let happen. */
export function findMessage(locale: Locale, key: MessageKey): IntlMessageFormat {
  const id = `${locale} ${key}`
  const known = compiledOf.get(id)
  if (known) return known
  const text = readMessages(locale).get(key) ?? readMessages('en').get(key)
  if (text === undefined) throw new Error(`no message ${key}`)
  const compiled = new IntlMessageFormat(text, localeFacts[locale].intl)
  compiledOf.set(id, compiled)
  return compiled
}
