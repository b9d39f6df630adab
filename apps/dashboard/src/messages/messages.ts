import { IntlMessageFormat } from 'intl-messageformat'
import { askAlive } from '../api/client.ts'
import type { Part, TextKey } from './catalogue.ts'
import type { Language } from './language.ts'

/** A text as the build leaves it: parsed, where it has gaps. */
type Message = ConstructorParameters<typeof IntlMessageFormat>[0]

const files = import.meta.glob<Record<string, Message>>('./*/*.json', { import: 'default' })
const loaded = new Map<Part, Promise<void>>()
const messages = new Map<string, Message>()
const compiled = new Map<string, IntlMessageFormat>()
let language: Language = 'en'

/** Chooses the language of every text; before the first screen is drawn. */
export function chooseLanguage(chosen: Language): void {
  language = chosen
}

/** Loads parts of the texts that are not there yet, in the chosen language. */
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
 * A screen's module together with the texts that it shows. What a new version has replaced cannot be loaded, and a reload
 * mends it; where nothing can be loaded that is said, since a reload would lose the app.
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

/** A text of the app in the language that was chosen, with its gaps filled. */
export function text(key: TextKey, values?: Record<string, string | number>): string {
  const message = messages.get(key) ?? key
  if (typeof message === 'string') return message
  const known = compiled.get(key) ?? new IntlMessageFormat(message, formatTag())
  compiled.set(key, known)
  return String(known.format(values))
}

/** How money is written. In a line from right to left the letters and the sign of `US$` would come apart. */
export function currencyStyle(currency: string): Intl.NumberFormatOptions {
  const isShort = language === 'ar'
  return { style: 'currency', currency, ...(isShort && { currencyDisplay: 'narrowSymbol' }) }
}

/** The tag by which numbers and dates are written. Arabic keeps the digits that wallets show. */
export function formatTag(): string {
  return language === 'ar' ? 'ar-u-nu-latn' : language
}
