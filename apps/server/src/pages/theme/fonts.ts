/** A family that the pages bring along. */
export type FontName = (typeof fontNames)[number]

/** The families of the pages, as a theme names them. */
export const fontNames = ['Inter'] as const

/** The first family of a `font-family` that the pages have; `undefined`: the font of the system. */
export function findFont(fontFamily: string): FontName | undefined {
  const asked = fontFamily.split(',').map((name) =>
    name
      .trim()
      .replace(/^['"]|['"]$/g, '')
      .toLowerCase(),
  )
  for (const name of asked) {
    const found = fontNames.find((known) => known.toLowerCase() === name)
    if (found) return found
  }
  return undefined
}
