/**
 * Seeds that once broke a promise, and the defect that each one found.
 *
 * A seed keeps its meaning only while every draw stays the same. A mended defect needs a named test of the service
 * above all, and its seed here if it is cheap.
 */
export const regressions: readonly { readonly seed: number; readonly found: string }[] = []
