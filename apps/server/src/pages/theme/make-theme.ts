import type { HeroFontSize, LogoShape } from '@sluice/protocol/api/shop.ts'
import { parseColour } from '@sluice/protocol/colour.ts'
import { makePalette } from '@sluice/protocol/theme/theme-colours.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Log } from '../../platform/log.ts'
import { findFont } from './fonts.ts'
import { pageImage, type StoredImage } from './page-image.ts'
import { type PageTheme, plainTheme } from './page-theme.ts'

/** Reads the settings of a merchant and its brand, or of the brand at a `Host`. */
export type ReadThemeSettings = (
  merchant: Wallet | undefined,
  host: string | undefined,
) => Promise<ThemeSettings>

/** Returns the theme of a merchant, or of the brand at `host` if no merchant is given. */
export type FindTheme = (merchant: string | undefined, host?: string) => Promise<PageTheme>

/** Creates the theme finder. Falls back to the plain theme if the settings cannot be read. */
export function makeFindTheme(log: Log, read: ReadThemeSettings): FindTheme {
  return async (wallet, host) => {
    try {
      return makeTheme(await read(parseWallet(wallet), host))
    } catch (error) {
      log.warn({ err: error }, 'a theme cannot be read; the page uses the default theme')
      return plainTheme
    }
  }
}

/** Creates a theme from settings. Ignores invalid colors and unknown fonts. */
export function makeTheme(settings: ThemeSettings): PageTheme {
  const { logo, favicon, cover, receiptBackground } = settings
  return {
    brandName: settings.brandName,
    logo: logo && { ...pageImage(logo), shape: settings.logoShape ?? 'square' },
    favicon: favicon && pageImage(favicon).url,
    cover: cover && pageImage(cover),
    receiptBackground: receiptBackground && pageImage(receiptBackground),
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

/** Primary color of the style sheets. */
export const defaultPrimary = '#0b5d66'

export type ThemeSettings = {
  readonly brandName: string
  readonly primaryColor?: string | undefined
  readonly secondaryColor?: string | undefined
  readonly textColor?: string | undefined
  readonly accentColor?: string | undefined
  readonly fontFamily?: string | undefined
  readonly logoShape?: LogoShape | undefined
  readonly heroFontSize?: HeroFontSize | undefined
  readonly logo?: StoredImage | undefined
  readonly favicon?: StoredImage | undefined
  readonly cover?: StoredImage | undefined
  readonly receiptBackground?: StoredImage | undefined
}
