import { IntlMessageFormat } from 'intl-messageformat'
import en from './en.json'
import type { Language } from './language.ts'

/** What a text is asked for by. */
export type TextKey = keyof typeof en

const files = import.meta.glob<{ default: Partial<Record<TextKey, string>> }>(['./*.json', '!./en.json'])
const compiled = new Map<TextKey, IntlMessageFormat>()
let language: Language = 'en'
let messages: Partial<Record<TextKey, string>> = en

/** Loads the texts of a language; before the first screen is drawn. */
export async function loadMessages(chosen: Language): Promise<void> {
  const load = files[`./${chosen}.json`]
  language = chosen
  messages = load ? (await load()).default : en
}

/** A text of the app in the language that was loaded, with its gaps filled. */
export function text(key: TextKey, values?: Record<string, string | number>): string {
  const known = compiled.get(key) ?? new IntlMessageFormat(messages[key] ?? en[key], language)
  compiled.set(key, known)
  return String(known.format(values))
}

/** The tag by which numbers and dates are written. Arabic keeps the digits that wallets show. */
export function formatTag(): string {
  return language === 'ar' ? 'ar-u-nu-latn' : language
}
