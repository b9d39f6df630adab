import { contrast, fromOklch, type Hex, toOklch } from './colour-space.ts'

/** What text of any size needs (WCAG 2.2, 1.4.3). */
export const textContrast = 4.5

/** What large text and the outline of a control need (WCAG 2.2, 1.4.3 and 1.4.11). */
export const controlContrast = 3

const step = 0.005

/** The smallest contrast of a colour with any of these grounds. */
export function contrastWithAll(colour: Hex, grounds: readonly Hex[]): number {
  return Math.min(...grounds.map((ground) => contrast(colour, ground)))
}

/**
 * The colour itself where it can be read on all of these grounds; else the nearest that can, darker or lighter with
 * the same hue. Black or white at the far end, which light or dark grounds always leave readable.
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

/** How far a fill may be darkened so that white can stand on it, before its text becomes black instead. */
const reach = 0.1

/** A fill and the text on it: white where that can be read, or nearly; black else, which then always can. */
export function fillWithText(fill: Hex): { readonly fill: Hex; readonly text: Hex } {
  const { l, c, h } = toOklch(fill)
  for (let moved = 0; moved <= reach; moved += step) {
    const candidate = moved === 0 ? fill : fromOklch({ l: l - moved, c, h })
    if (contrast('#ffffff', candidate) >= textContrast) return { fill: candidate, text: '#ffffff' }
  }
  return { fill, text: '#000000' }
}
