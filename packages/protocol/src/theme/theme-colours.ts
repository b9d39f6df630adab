import { flatten, fromOklch, type Hex, toOklch } from './colour-space.ts'
import { contrastWithAll, controlContrast, fillWithText, makeReadable, textContrast } from './readable.ts'

export const colourNames = [
  'ink',
  'dim',
  'page',
  'card',
  'line',
  'soft',
  'accent',
  'on-accent',
  'primary',
  'on-primary',
  'primary-hover',
  'primary-line',
] as const

export type ColourName = (typeof colourNames)[number]

export type Palette = Readonly<Record<ColourName, Hex>>

export type ChosenColours = {
  readonly primary: string
  readonly secondary: string | undefined
  readonly text: string | undefined
  /** Color of links, focus ring and progress. Defaults to `primary`. */
  readonly accent: string | undefined
}

type Scheme = {
  readonly card: Hex
  readonly page: readonly [lightness: number, chroma: number]
  readonly line: readonly [lightness: number, chroma: number]
  /** Range of lightness, and maximum chroma, of a soft surface. */
  readonly soft: readonly [low: number, high: number, chroma: number]
  readonly ink: Hex
  readonly dim: number
  readonly towards: 'darker' | 'lighter'
}

/**
 * Minimum contrast on dark pages for a text color chosen for light pages, which may be readable there only by
 * chance.
 */
const strongContrast = 7

const schemes: Readonly<Record<'light' | 'dark', Scheme>> = {
  light: {
    card: '#ffffff',
    page: [0.968, 0.006],
    line: [0.905, 0.012],
    soft: [0.92, 0.975, 0.035],
    ink: '#14222a',
    dim: 0.49,
    towards: 'darker',
  },
  dark: {
    card: '#162024',
    page: [0.19, 0.014],
    line: [0.34, 0.02],
    soft: [0.25, 0.3, 0.03],
    ink: '#e8eff0',
    dim: 0.76,
    towards: 'lighter',
  },
}

/**
 * Returns a palette from the chosen colors. Adjusts their lightness until every text is readable on its
 * surfaces. Never rejects a color.
 */
export function makePalette(chosen: ChosenColours, name: 'light' | 'dark'): Palette {
  const scheme = schemes[name]
  const { towards } = scheme
  const primary = flatten(chosen.primary, scheme.card)
  const { h, c } = toOklch(primary)
  const tint = ([l, most]: readonly [number, number]): Hex => fromOklch({ l, c: Math.min(c, most), h })
  const card = name === 'light' ? scheme.card : tint([0.235, 0.016])
  const page = tint(scheme.page)
  const soft = softSurface(flatten(chosen.secondary ?? chosen.primary, card), scheme)
  const grounds = [card, page, soft]
  const ink = inkOn(grounds, chosen.text, scheme)
  const accent = makeReadable(flatten(chosen.accent ?? chosen.primary, card), grounds, towards)
  const inkTone = toOklch(ink)
  const dim = makeReadable(
    fromOklch({ l: scheme.dim, c: Math.min(inkTone.c, 0.03), h: inkTone.h }),
    grounds,
    towards,
  )
  return {
    ink,
    dim,
    page,
    card,
    line: tint(scheme.line),
    soft,
    accent,
    'on-accent': textOn(accent),
    ...fills(primary, card, name),
  }
}

function fills(primary: Hex, card: Hex, name: 'light' | 'dark') {
  const lifted = name === 'dark' ? makeReadable(primary, [card], 'lighter', controlContrast) : primary
  const { fill, text } = fillWithText(lifted)
  const { l, c, h } = toOklch(fill)
  const away = text === '#ffffff' ? -0.05 : 0.05
  const hover = fromOklch({ l: l + away, c, h })
  return {
    primary: fill,
    'on-primary': text,
    'primary-hover': hover,
    'primary-line': makeReadable(fill, [card], name === 'light' ? 'darker' : 'lighter', controlContrast),
  }
}

function textOn(fill: Hex): Hex {
  const { text, fill: kept } = fillWithText(fill)
  return kept === fill ? text : '#000000'
}

/**
 * Returns the text color: the chosen one if readable, else the default lightness with its hue. A barely
 * readable color would look weaker than the dimmed text.
 */
function inkOn(grounds: readonly Hex[], text: string | undefined, { ink, card, towards }: Scheme): Hex {
  if (text === undefined) return makeReadable(ink, grounds, towards)
  const asked = flatten(text, card)
  if (contrastWithAll(asked, grounds) >= (towards === 'darker' ? textContrast : strongContrast)) return asked
  const { c, h } = toOklch(asked)
  return makeReadable(fromOklch({ l: toOklch(ink).l, c: Math.min(c, 0.06), h }), grounds, towards)
}

function softSurface(colour: Hex, { soft: [low, high, most] }: Scheme): Hex {
  const { l, c, h } = toOklch(colour)
  return fromOklch({ l: Math.min(high, Math.max(low, l)), c: Math.min(c, most), h })
}
