/** The languages of the app, the same as those of the buyer's pages. */
export const languages = ['en', 'de', 'es', 'fr', 'pt', 'ar', 'zh', 'ja'] as const

/** One of them. */
export type Language = (typeof languages)[number]

/** The first of the browser's languages that the app speaks, else English. */
export function readLanguage(): Language {
  for (const tag of navigator.languages) {
    const found = languages.find((language) => language === tag.toLowerCase().split('-')[0])
    if (found) return found
  }
  return 'en'
}
