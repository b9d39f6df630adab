import { parseColour } from '@sluice/protocol/colour.ts'
import { findFont } from './fonts.ts'
import { type PageTheme, plainTheme } from './page-theme.ts'
import { makePalette } from './theme-colours.ts'
import type { ThemeSettings } from './theme-settings.ts'

/** The look that settings ask for; what in them is no colour or font of ours counts as not chosen. */
export function makeTheme(settings: ThemeSettings): PageTheme {
  return {
    ...plainTheme,
    brandName: settings.brandName,
    font: findFont(settings.fontFamily ?? ''),
    heroFontSize: settings.heroFontSize ?? plainTheme.heroFontSize,
    colours: coloursOf(settings),
  }
}

function coloursOf(settings: ThemeSettings): PageTheme['colours'] {
  const read = (text: string | undefined) => (text === undefined ? undefined : parseColour(text))
  const [primary, secondary, text, accent] = [
    read(settings.primaryColor),
    read(settings.secondaryColor),
    read(settings.textColor),
    read(settings.accentColor),
  ]
  if (primary ?? secondary ?? text ?? accent) {
    const chosen = { primary: primary ?? accent ?? defaultPrimary, secondary, text, accent }
    return { light: makePalette(chosen, 'light'), dark: makePalette(chosen, 'dark') }
  }
  return undefined
}

/** That of the style sheets. */
const defaultPrimary = '#0b5d66'
