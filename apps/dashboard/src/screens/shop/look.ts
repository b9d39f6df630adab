import { parseColour } from '@sluice/protocol/colour.ts'
import { pageFonts } from '@sluice/protocol/page-fonts.ts'
import { flatten, type Hex } from '@sluice/protocol/theme/colour-space.ts'
import { contrastWithAll } from '@sluice/protocol/theme/readable.ts'
import { type ChosenColours, makePalette, type Palette } from '@sluice/protocol/theme/theme-colours.ts'
import type { ShopTheme } from './shop-config.ts'

export type Scheme = 'light' | 'dark'

export const colourFields = ['primaryColor', 'accentColor', 'textColor', 'secondaryColor'] as const

export type ColourField = (typeof colourFields)[number]

const systemFont = 'system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif'

/**
 * Returns the palette with the same contrast corrections as on the buyer's pages.
 *
 * Returns `undefined` if a color is invalid.
 */
export function paletteOf(theme: ShopTheme, scheme: Scheme): Palette | undefined {
  const chosen = chosenOf(theme)
  return chosen && makePalette(chosen, scheme)
}

/** The replacement for a color that is hard to read, and the contrast ratio of the chosen color. */
export type Correction = { readonly shown: Hex; readonly ratio: number }

/** Returns the colors that are corrected for buyers in the light scheme, for which themes are designed. */
export function correctionsOf(theme: ShopTheme): Readonly<Partial<Record<ColourField, Correction>>> {
  const chosen = chosenOf(theme)
  if (!chosen) return {}
  const palette = makePalette(chosen, 'light')
  const grounds = [palette.card, palette.page, palette.soft]
  const evaluate = (colour: string | undefined, shown: Hex, on: readonly Hex[]): Correction | undefined => {
    if (colour === undefined) return undefined
    const asked = flatten(colour, palette.card)
    return asked === shown ? undefined : { shown, ratio: contrastWithAll(asked, on) }
  }
  const found = {
    textColor: evaluate(chosen.text, palette.ink, grounds),
    accentColor: evaluate(chosen.accent, palette.accent, grounds),
    primaryColor: evaluate(chosen.primary, palette.primary, ['#ffffff']),
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

/**
 * Returns the message for the preview page.
 *
 * Omits colors and font if they equal those of `base`, the theme with which the page was rendered.
 */
export function lookOf(
  theme: ShopTheme,
  { base, scheme, name, id }: { base: ShopTheme | undefined; scheme: Scheme; name: string; id: number },
): Readonly<Record<string, unknown>> {
  const isChosen = !base || colourFields.some((field) => theme[field] !== base[field])
  // Colors in the message override the page's own dark rules, so they depend on the scheme.
  const colours = isChosen ? paletteOf(theme, scheme) : undefined
  const font = theme.fontFamily === base?.fontFamily ? undefined : fontOf(theme.fontFamily)
  return {
    kind: 'sluice:look',
    id,
    scheme,
    name,
    colours: colours ?? {},
    ...(font !== undefined && { font }),
    logo: theme.brandLogoUrl,
    logoShape: theme.logoShape,
    cover: theme.coverPhotoUrl,
    heroFontSize: theme.heroFontSize,
  }
}

/** Returns the first supported family of a `font-family`, or an empty string for the system font. */
export function familyOf(fontFamily: string): string {
  const asked = fontFamily.split(',').map((name) =>
    name
      .trim()
      .replace(/^['"]|['"]$/g, '')
      .toLowerCase(),
  )
  return asked.flatMap((name) => pageFonts.filter((font) => font.toLowerCase() === name))[0] ?? ''
}

function fontOf(fontFamily: string): string {
  const family = familyOf(fontFamily)
  return family === '' ? systemFont : `"${family}", ${systemFont}`
}

function chosenOf(theme: ShopTheme): ChosenColours | undefined {
  const [primary, accent, text, secondary] = colourFields.map((field) => parseColour(theme[field]))
  if (!primary || !accent || !text || !secondary) return undefined
  return { primary, secondary, text, accent }
}
