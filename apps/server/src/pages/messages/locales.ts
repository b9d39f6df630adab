export const locales = ['en', 'de', 'es', 'fr', 'pt', 'ar', 'zh', 'ja'] as const

export type Locale = (typeof locales)[number]

/** Names, number formats and directions of the languages. Arabic uses Latin digits, as wallets do. */
export const localeFacts: Readonly<
  Record<Locale, { readonly name: string; readonly intl: string; readonly direction: 'ltr' | 'rtl' }>
> = {
  en: { name: 'English', intl: 'en-US', direction: 'ltr' },
  de: { name: 'Deutsch', intl: 'de-DE', direction: 'ltr' },
  es: { name: 'Español', intl: 'es-ES', direction: 'ltr' },
  fr: { name: 'Français', intl: 'fr-FR', direction: 'ltr' },
  pt: { name: 'Português', intl: 'pt-BR', direction: 'ltr' },
  ar: { name: 'العربية', intl: 'ar-u-nu-latn', direction: 'rtl' },
  zh: { name: '中文', intl: 'zh-CN', direction: 'ltr' },
  ja: { name: '日本語', intl: 'ja-JP', direction: 'ltr' },
}

const maxHeaderLength = 1_000

/**
 * Chooses the language: `?lang=`, else the best match in `Accept-Language`, else English.
 *
 * Only the primary subtag counts: `de-AT` is German. Unknown languages are ignored.
 */
export function chooseLocale(asked: unknown, acceptLanguage: string | undefined): Locale {
  const wanted = typeof asked === 'string' ? findLocale(asked) : undefined
  if (wanted) return wanted
  const ranges = (acceptLanguage ?? '').slice(0, maxHeaderLength).split(',').map(readRange)
  const best = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality)
  for (const { tag } of best) {
    const locale = findLocale(tag)
    if (locale) return locale
  }
  return 'en'
}

function readRange(range: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
  const given = parameters.find((parameter) => /^q=/i.test(parameter))
  const quality = given === undefined ? 1 : Number(given.slice(2))
  return { tag, quality: Number.isFinite(quality) ? quality : 0 }
}

function findLocale(tag: string): Locale | undefined {
  const primary = tag.toLowerCase().split('-')[0]
  return locales.find((locale) => locale === primary)
}
