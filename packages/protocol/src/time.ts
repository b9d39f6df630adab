declare const unit: unique symbol

/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type UnixMs = number & { readonly [unit]: 'UnixMs' }

/** The last instant that a JavaScript date can name. */
export const maxUnixMs = 8_640_000_000_000_000 as UnixMs

/** The instant a wire value names, or `undefined` where it is no safe non-negative integer. */
export function parseUnixMs(value: unknown): UnixMs | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? (value as UnixMs)
    : undefined
}

/** `instant` moved by `ms`. */
export function addMs(instant: UnixMs, ms: number): UnixMs {
  return (instant + ms) as UnixMs
}
