import type { HeroFontSize, LogoShape } from '@sluice/protocol/api/shop.ts'
import type { StoredImage } from './page-image.ts'

/** What is stored of a look, as it was sent; absent is what nobody chose. */
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
