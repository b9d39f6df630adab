import { parse } from '@formatjs/icu-messageformat-parser'
import type { Plugin } from 'vite'

/** Parses the texts while the app is built, so that the parser is not part of what every screen waits for. */
export function parseTexts(): Plugin {
  return {
    name: 'parse-texts',
    enforce: 'pre',
    transform: {
      filter: { id: /\/src\/messages\/[a-z]+\/[a-z-]+\.json$/ },
      handler(code) {
        const texts = Object.entries(JSON.parse(code) as Record<string, string>)
        return { code: JSON.stringify(Object.fromEntries(texts.map(parseText))), map: null }
      },
    },
  }
}

/** A text without gaps stays a string. */
function parseText([key, message]: [string, string]) {
  const parts = parse(message, { captureLocation: false })
  const [first] = parts
  return [key, parts.length === 1 && first && 'value' in first && first.type === 0 ? first.value : parts]
}
