export type Hex = `#${string}`

/** OKLCH color: lightness 0 to 1, chroma from 0 (gray), hue in radians. */
export type Oklch = { readonly l: number; readonly c: number; readonly h: number }

type Triple = readonly [number, number, number]

export function toOklch(hex: Hex): Oklch {
  const [r, g, b] = linearOf(hex)
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return {
    l: clamp(0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s),
    c: Math.hypot(a, bb),
    h: Math.atan2(bb, a),
  }
}

/** Converts to the nearest sRGB color. Keeps lightness and hue, and reduces chroma if out of gamut. */
export function fromOklch({ l, c, h }: Oklch): Hex {
  const lightness = clamp(l)
  let [low, high] = [0, c]
  if (isOnScreen(linearFrom({ l: lightness, c, h }))) low = c
  else {
    for (let step = 0; step < 16; step++) {
      const middle = (low + high) / 2
      if (isOnScreen(linearFrom({ l: lightness, c: middle, h }))) low = middle
      else high = middle
    }
  }
  return hexOf(linearFrom({ l: lightness, c: low, h }))
}

export function contrast(a: Hex, b: Hex): number {
  const [x, y] = [luminance(a), luminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

export function flatten(colour: string, under: Hex): Hex {
  if (colour.length <= 7) return colour as Hex
  const alpha = Number.parseInt(colour.slice(7, 9), 16) / 255
  const [over, below] = [partsOf(colour), partsOf(under)]
  return write(over.map((part, i) => part * alpha + (below[i] ?? 0) * (1 - alpha)))
}

function luminance(hex: Hex): number {
  const [r, g, b] = linearOf(hex)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function linearFrom({ l, c, h }: Oklch): Triple {
  const [a, b] = [c * Math.cos(h), c * Math.sin(h)]
  const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
    -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
    -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z,
  ]
}

function isOnScreen(linear: Triple): boolean {
  return linear.every((part) => part >= -0.0005 && part <= 1.0005)
}

function linearOf(hex: Hex): Triple {
  const [r = 0, g = 0, b = 0] = partsOf(hex).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  )
  return [r, g, b]
}

function hexOf(linear: Triple): Hex {
  return write(
    linear.map(clamp).map((part) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055)),
  )
}

function partsOf(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
}

function write(parts: readonly number[]): Hex {
  const digits = parts.map((part) =>
    Math.round(clamp(part) * 255)
      .toString(16)
      .padStart(2, '0'),
  )
  return `#${digits.join('')}`
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}
