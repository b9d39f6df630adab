import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrast, fromOklch, type Hex, toOklch } from './colour-space.ts'
import { contrastWithAll } from './readable.ts'
import { type ChosenColours, makePalette, type Palette } from './theme-colours.ts'

const hex = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value): Hex => `#${value.toString(16).padStart(6, '0')}`)
const colour = fc.oneof(
  hex,
  fc
    .tuple(hex, fc.integer({ min: 0, max: 254 }))
    .map(([base, alpha]) => base + alpha.toString(16).padStart(2, '0')),
)
const chosen: fc.Arbitrary<ChosenColours> = fc.record({
  primary: colour,
  secondary: fc.option(colour, { nil: undefined }),
  text: fc.option(colour, { nil: undefined }),
  accent: fc.option(colour, { nil: undefined }),
})
const scheme = fc.constantFrom('light', 'dark')

test('whatever is chosen, every text can be read on every surface it stands on', () => {
  fc.assert(
    fc.property(chosen, scheme, (colours, name) => {
      const palette = makePalette(colours, name)
      const grounds = [palette.page, palette.card, palette.soft]
      for (const text of ['ink', 'dim', 'accent'] as const)
        expect(contrastWithAll(palette[text], grounds), text).toBeGreaterThanOrEqual(4.5)
      expect(contrast(palette['on-primary'], palette.primary)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(palette['on-primary'], palette['primary-hover'])).toBeGreaterThanOrEqual(4.5)
      expect(contrast(palette['on-accent'], palette.accent)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(palette['primary-line'], palette.card)).toBeGreaterThanOrEqual(3)
    }),
    { numRuns: 2_000 },
  )
})

test('the words of the states can be read on the surfaces of every theme', () => {
  const words = { light: ['#17683b', '#7a4d00', '#a3252b'], dark: ['#7ddba3', '#f2c572', '#ff9d98'] } as const
  fc.assert(
    fc.property(chosen, scheme, (colours, name) => {
      const { page, card }: Palette = makePalette(colours, name)
      for (const word of words[name]) expect(contrastWithAll(word, [page, card])).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('a palette holds nothing but colours of six digits', () => {
  fc.assert(
    fc.property(chosen, scheme, (colours, name) => {
      for (const value of Object.values(makePalette(colours, name))) expect(value).toMatch(/^#[0-9a-f]{6}$/)
    }),
  )
})

test('colours that can be read stay as they were chosen', () => {
  const palette = makePalette(
    { primary: '#5b21b6', secondary: undefined, text: '#1f1147', accent: '#9d174d' },
    'light',
  )
  expect(palette).toMatchObject({
    primary: '#5b21b6',
    'on-primary': '#ffffff',
    ink: '#1f1147',
    accent: '#9d174d',
  })
})

test('a colour too light for text keeps its hue and becomes darker', () => {
  const { accent } = makePalette(
    { primary: '#ffd400', secondary: undefined, text: undefined, accent: undefined },
    'light',
  )
  expect(Math.abs(toOklch(accent).h - toOklch('#ffd400').h)).toBeLessThan(0.1)
})

test('a colour goes to OKLCH and back', () => {
  fc.assert(
    fc.property(hex, (value) => {
      expect(fromOklch(toOklch(value))).toBe(value)
    }),
  )
})
