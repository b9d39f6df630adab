/** The languages of the web app, which are the same as on the buyer's pages. */
export const languages = ['en', 'de', 'es', 'fr', 'pt', 'ar', 'zh', 'ja'] as const

export type Language = (typeof languages)[number]

/** Returns the first browser language that the app supports, or English. */
export function readLanguage(): Language {
  for (const tag of navigator.languages) {
    const found = languages.find((language) => language === tag.toLowerCase().split('-')[0])
    if (found) return found
  }
  return 'en'
}
