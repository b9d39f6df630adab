import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { pageFonts } from '@sluice/protocol/page-fonts.ts'
import { type FontFile, type FontName, fontFiles } from '../theme/fonts.ts'

/** A family as pages use it. */
export type FontAsset = {
  /** Its `@font-face` rules. */
  readonly css: string
  /** The file every page with this font needs first. */
  readonly preload: string
}

/**
 * Reads the families that themes can choose and has each file served.
 *
 * `font-display: optional`: a font that is not there within a tenth of a second waits for the next page, and nothing
 * moves under the finger of somebody who is about to pay.
 *
 * @param serve - Takes a file and gives its address.
 */
export async function readFonts(
  serve: (name: string, body: Buffer) => string,
): Promise<Readonly<Record<FontName, FontAsset>>> {
  const families = await Promise.all(
    pageFonts.map(async (name) => {
      const files = await Promise.all(
        fontFiles(name).map(async (file) => {
          const body = await readFile(fileURLToPath(import.meta.resolve(file.module)))
          return { file, url: serve(file.module.replace(/.*\/|\.woff2$/g, ''), body) }
        }),
      )
      const css = files.map(({ file, url }) => faceRule(name, file, url)).join('')
      const first = files.find(({ file }) => file.range.startsWith('U+0-'))
      return [name, { css, preload: first?.url ?? '' }]
    }),
  )
  return Object.fromEntries(families)
}

function faceRule(name: FontName, file: FontFile, url: string): string {
  return `@font-face{font-family:"${name}";font-style:normal;font-display:optional;font-weight:${file.weights};src:url(${url})format("woff2");unicode-range:${file.range}}`
}
