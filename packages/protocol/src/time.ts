declare const unit: unique symbol

export type UnixMs = number & { readonly [unit]: 'UnixMs' }

export const maxUnixMs = 8_640_000_000_000_000 as UnixMs

/** Parses a wire value. Returns `undefined` unless it is a safe non-negative integer. */
export function parseUnixMs(value: unknown): UnixMs | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? (value as UnixMs)
    : undefined
}

export function addMs(instant: UnixMs, ms: number): UnixMs {
  return (instant + ms) as UnixMs
}
