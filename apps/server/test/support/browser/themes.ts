import sharp from 'sharp'
import type { EncodedImage } from '../../../src/images/image.ts'
import { makeTheme, type ThemeSettings } from '../../../src/pages/theme/make-theme.ts'
import type { PageTheme } from '../../../src/pages/theme/page-theme.ts'

const owner = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const logo = { owner, slot: 'logo', url: 'https://pictures.example/logo.png' }

const settings = {
  berry: {
    brandName: 'Atelier Beere',
    primaryColor: '#9d174d',
    secondaryColor: '#fdf2f8',
    textColor: '#3b0a1f',
    accentColor: 'rgb(157 23 77)',
    fontFamily: '"Playfair Display", serif',
    logoShape: 'circle',
    logo,
  },
  glare: {
    brandName: 'Glare & Co',
    primaryColor: 'yellow',
    secondaryColor: '#ffffff',
    textColor: '#ffffcc',
    accentColor: 'hsl(60, 100%, 80%)',
    fontFamily: 'Poppins',
  },
  night: {
    brandName: 'Nachtcafé',
    primaryColor: '#0a0a14',
    secondaryColor: '#101020',
    textColor: '#000',
    accentColor: '#00f',
    fontFamily: 'Inter',
    logo,
  },
  ghost: {
    brandName: 'Ghost',
    primaryColor: 'transparent',
    secondaryColor: 'rgba(255, 0, 0, 0.1)',
    textColor: '#00000022',
    accentColor: '#ff00',
  },
} as const satisfies Record<string, ThemeSettings>

export type ThemeName = keyof typeof settings

export const themes = Object.fromEntries(
  Object.entries(settings).map(([name, chosen]) => [name, makeTheme(chosen)]),
) as Record<ThemeName, PageTheme>

export function hostileTheme(text: string, more: Partial<ThemeSettings> = {}): PageTheme {
  const texts = ['brandName', 'primaryColor', 'secondaryColor', 'textColor', 'accentColor', 'fontFamily']
  const sizes = ['logoShape', 'heroFontSize']
  const images = Object.entries({
    logo: 'logo',
    favicon: 'icon',
    cover: 'cover',
    receiptBackground: 'background',
  })
  return makeTheme({
    ...Object.fromEntries([...texts, ...sizes].map((name) => [name, text])),
    ...Object.fromEntries(images.map(([name, slot]) => [name, { owner, slot, url: text }])),
    ...more,
  } as ThemeSettings)
}

export async function logoPicture(): Promise<EncodedImage> {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="#fff"/><circle cx="48" cy="48" r="30" fill="#9d174d"/><path d="M30 48h36" stroke="#fff" stroke-width="8"/></svg>'
  const body = await sharp(Buffer.from(svg), { density: 144 }).webp().toBuffer()
  return { type: 'image/webp', variants: [{ width: 192, body }] }
}
