/**
 * Where something stands in what was sent, as `path` of an issue or a warning says it: a JSON pointer (RFC 6901)
 * without its first slash, `lineItems/0/amount`. The whole is the empty text.
 *
 * A field of the body itself, a query parameter and a header are their own names.
 */
export function pathOf(...steps: readonly (string | number)[]): string {
  return steps.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}

/** The path of what stands at `inner` within `outer`, both as {@link pathOf} writes them. */
export function pathWithin(outer: string, inner: string): string {
  return outer === '' || inner === '' ? outer + inner : `${outer}/${inner}`
}

/** A JSON pointer, as a schema's errors have it, as a path. */
export function pathOfPointer(pointer: string): string {
  return pointer.replace(/^\//, '')
}
