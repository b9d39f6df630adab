import { IntlMessageFormat } from 'intl-messageformat'
import { askAlive } from '../api/client.ts'
import type { Part, TextKey } from './catalogue.ts'
import type { Language } from './language.ts'

/** A text in the build's output: parsed if it contains placeholders, otherwise a string. */
type Message = ConstructorParameters<typeof IntlMessageFormat>[0]

const files = import.meta.glob<Record<string, Message>>('./*/*.json', { import: 'default' })
const loaded = new Map<Part, Promise<void>>()
const messages = new Map<string, Message>()
const compiled = new Map<string, IntlMessageFormat>()
let language: Language = 'en'

/** Sets the language of all texts. Call it before the first render. */
export function chooseLanguage(chosen: Language): void {
  language = chosen
}

export async function loadTexts(parts: readonly Part[]): Promise<void> {
  await Promise.all(
    parts.map((part) => {
      const known = loaded.get(part) ?? loadPart(part)
      loaded.set(part, known)
      return known
    }),
  )
}

async function loadPart(part: Part): Promise<void> {
  try {
    const load = files[`./${language}/${part}.json`] ?? files[`./en/${part}.json`]
    if (!load) throw new Error(`there are no texts for ${part}`)
    for (const [key, message] of Object.entries(await load())) messages.set(key, message)
  } catch (error) {
    loaded.delete(part)
    throw error
  }
}

/**
 * Returns a loader for a screen and its texts.
 *
 * A load usually fails because a new version has replaced the files, so that a page reload helps. If the
 * service does not respond, the loader throws `unreachable`, because a reload would lose the app.
 */
export function withTexts<Screen>(
  parts: readonly Part[],
  load: () => Promise<Screen>,
): () => Promise<Screen> {
  return async () => {
    try {
      const [screen] = await Promise.all([load(), loadTexts(parts)])
      return screen
    } catch (error) {
      await askAlive()
      throw error
    }
  }
}

export function text(key: TextKey, values?: Record<string, string | number>): string {
  const message = messages.get(key) ?? key
  if (typeof message === 'string') return message
  const known = compiled.get(key) ?? new IntlMessageFormat(message, formatTag())
  compiled.set(key, known)
  return String(known.format(values))
}

/** Returns the currency format. Arabic uses the narrow symbol, because right-to-left text splits `US$`. */
export function currencyStyle(currency: string): Intl.NumberFormatOptions {
  const isShort = language === 'ar'
  return { style: 'currency', currency, ...(isShort && { currencyDisplay: 'narrowSymbol' }) }
}

/** Returns the locale for numbers and dates. Arabic uses Latin digits, as wallets do. */
export function formatTag(): string {
  return language === 'ar' ? 'ar-u-nu-latn' : language
}
