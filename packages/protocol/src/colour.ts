import { colourNames } from './colour-names.ts'

/**
 * Parses a CSS color into `#rrggbb`, or `#rrggbbaa` if translucent: hex, `rgb()`, `hsl()` or a name. Returns
 * `undefined` for other text, so that a stored color cannot inject into a style sheet.
 */
export function parseColour(text: string): string | undefined {
  const value = text.toLowerCase()
  const name = colourNames.get(value)
  if (name !== undefined) return `#${name}`
  if (value === 'transparent') return '#00000000'
  if (value.startsWith('#')) return readHex(value.slice(1))
  const call = /^(rgb|hsl)a?\(([^()]{1,80})\)$/.exec(value)
  const parts = call?.[2] === undefined ? undefined : splitParts(call[2])
  if (!call || !parts) return undefined
  const channels = call[1] === 'rgb' ? readRgb(parts.channels) : readHsl(parts.channels)
  const alpha = parts.alpha === undefined ? 1 : readFraction(parts.alpha)
  if (!channels || alpha === undefined) return undefined
  return `#${[...channels, ...(alpha < 1 ? [alpha] : [])].map(toHex).join('')}`
}

function readHex(digits: string): string | undefined {
  if (!/^([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(digits)) return undefined
  const whole = digits.length < 6 ? [...digits].map((digit) => digit + digit).join('') : digits
  return `#${whole.length === 8 && whole.endsWith('ff') ? whole.slice(0, 6) : whole}`
}

function splitParts(
  text: string,
): { channels: [string, string, string]; alpha: string | undefined } | undefined {
  const hasCommas = text.includes(',')
  if (hasCommas && text.includes('/')) return undefined
  const [front = '', behind, ...more] = hasCommas ? [text] : text.split('/')
  const channels = front.trim().split(hasCommas ? /\s*,\s*/ : /\s+/)
  const alpha = hasCommas && channels.length === 4 ? channels.pop() : behind?.trim()
  const [a, b, c] = channels
  if (more.length > 0 || channels.length !== 3 || !a || !b || !c) return undefined
  return { channels: [a, b, c], alpha }
}

function readRgb(parts: readonly string[]): number[] | undefined {
  const values = parts.map((part) => {
    const match = /^([+-]?\d{0,6}(?:\.\d{1,6})?)(%?)$/.exec(part)
    if (!match?.[1] || !/\d/.test(match[1])) return undefined
    return clamp(Number(match[1]) / (match[2] ? 100 : 255))
  })
  const isMixed = parts.some((part) => part.endsWith('%')) && !parts.every((part) => part.endsWith('%'))
  return isMixed ? undefined : whole(values)
}

function readHsl([hueText = '', ...parts]: readonly string[]): number[] | undefined {
  const match = /^([+-]?\d{1,6}(?:\.\d{1,6})?)(deg|turn|rad|grad)?$/.exec(hueText)
  const [saturation, lightness] = parts.map((part) => (part.endsWith('%') ? readFraction(part) : undefined))
  if (!match || saturation === undefined || lightness === undefined) return undefined
  const circle = { deg: 360, turn: 1, rad: 2 * Math.PI, grad: 400 }[match[2] ?? 'deg'] ?? 360
  const hue = ((((Number(match[1]) / circle) % 1) + 1) % 1) * 12
  const reach = saturation * Math.min(lightness, 1 - lightness)
  return [0, 8, 4].map((offset) => {
    const k = (offset + hue) % 12
    return lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))
  })
}

function readFraction(text: string): number | undefined {
  const match = /^(\+?\d{0,4}(?:\.\d{1,6})?)(%?)$/.exec(text)
  if (!match?.[1] || !/\d/.test(match[1])) return undefined
  return clamp(Number(match[1]) / (match[2] ? 100 : 1))
}

function whole(values: readonly (number | undefined)[]): number[] | undefined {
  return values.includes(undefined) ? undefined : (values as number[])
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

function toHex(part: number): string {
  return Math.round(part * 255)
    .toString(16)
    .padStart(2, '0')
}
