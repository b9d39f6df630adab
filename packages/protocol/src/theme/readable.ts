import { contrast, fromOklch, type Hex, toOklch } from './colour-space.ts'

/** Minimum contrast of text of any size (WCAG 2.2, 1.4.3). */
export const textContrast = 4.5

/** Minimum contrast of large text and of control outlines (WCAG 2.2, 1.4.3 and 1.4.11). */
export const controlContrast = 3

const step = 0.005

export function contrastWithAll(colour: Hex, grounds: readonly Hex[]): number {
  return Math.min(...grounds.map((ground) => contrast(colour, ground)))
}

/**
 * Returns the color if readable on all grounds, else the nearest darker or lighter readable color of the same
 * hue. Falls back to black or white.
 */
export function makeReadable(
  colour: Hex,
  grounds: readonly Hex[],
  direction: 'darker' | 'lighter',
  ratio: number = textContrast,
): Hex {
  if (contrastWithAll(colour, grounds) >= ratio) return colour
  const { l, c, h } = toOklch(colour)
  const sign = direction === 'darker' ? -1 : 1
  for (let moved = step; moved <= 1; moved += step) {
    const lightness = l + sign * moved
    if (lightness <= 0 || lightness >= 1) break
    const candidate = fromOklch({ l: lightness, c, h })
    if (contrastWithAll(candidate, grounds) >= ratio) return candidate
  }
  return direction === 'darker' ? '#000000' : '#ffffff'
}

/** Maximum reduction of a fill's lightness for white text. Beyond it, the text is black. */
const reach = 0.1

export function fillWithText(fill: Hex): { readonly fill: Hex; readonly text: Hex } {
  const { l, c, h } = toOklch(fill)
  for (let moved = 0; moved <= reach; moved += step) {
    const candidate = moved === 0 ? fill : fromOklch({ l: l - moved, c, h })
    if (contrast('#ffffff', candidate) >= textContrast) return { fill: candidate, text: '#ffffff' }
  }
  return { fill, text: '#000000' }
}
