import { pageFonts } from '@sluice/protocol/page-fonts.ts'

export type FontName = (typeof pageFonts)[number]

export type FontFile = { readonly module: string; readonly weights: string; readonly range: string }

/** Unicode ranges in the order in which browsers evaluate them: the last range with the character wins. */
const ranges = {
  'latin-ext': 'U+100-2FF,U+1D00-1EFF,U+2020,U+20A0-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  latin: 'U+0-FF,U+131,U+152-153,U+2C6,U+2DA,U+2DC,U+2000-206F,U+20AC,U+2122,U+2190-2193,U+2212,U+2215',
} as const

const systemSans = 'system-ui,-apple-system,"Segoe UI",Roboto,"Open Sans",sans-serif'
const systemSerif = 'Georgia,"Times New Roman",serif'

const sans = (slug: string) => ({ fallback: systemSans, files: variable(slug) })
const serif = (slug: string) => ({ fallback: systemSerif, files: variable(slug) })

/**
 * Font families by the name used in themes. Served locally, so that visitors are not exposed to a font
 * service.
 */
const fonts: Readonly<Record<FontName, { fallback: string; files: FontFile[] }>> = {
  Inter: sans('inter'),
  Roboto: sans('roboto'),
  'Open Sans': sans('open-sans'),
  Montserrat: sans('montserrat'),
  Nunito: sans('nunito'),
  Poppins: {
    fallback: systemSans,
    files: [...fixed('poppins', 400, '1 500'), ...fixed('poppins', 600, '501 1000')],
  },
  Lora: serif('lora'),
  'Playfair Display': serif('playfair-display'),
}

/** Returns the files of a family. The last file contains the basic Latin letters, and is preloaded. */
export function fontFiles(name: FontName): readonly FontFile[] {
  return fonts[name].files
}

export function fontStack(name: FontName): string {
  return `"${name}",${fonts[name].fallback}`
}

/** Returns the first supported family of a `font-family`, or `undefined` for the system font. */
export function findFont(fontFamily: string): FontName | undefined {
  const asked = fontFamily.split(',').map((name) =>
    name
      .trim()
      .replace(/^['"]|['"]$/g, '')
      .toLowerCase(),
  )
  const known = new Map(pageFonts.map((name) => [name.toLowerCase(), name]))
  return asked.map((name) => known.get(name)).find((name) => name !== undefined)
}

function variable(slug: string): FontFile[] {
  return subsets().map(([subset, range]) => ({
    module: `@fontsource-variable/${slug}/files/${slug}-${subset}-wght-normal.woff2`,
    weights: '100 900',
    range,
  }))
}

function fixed(slug: string, weight: number, weights: string): FontFile[] {
  return subsets().map(([subset, range]) => ({
    module: `@fontsource/${slug}/files/${slug}-${subset}-${weight}-normal.woff2`,
    weights,
    range,
  }))
}

function subsets() {
  return Object.entries(ranges)
}
