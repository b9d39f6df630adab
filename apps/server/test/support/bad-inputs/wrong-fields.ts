/**
 * Returns rows of `test.each`: the path of a field, and a body in which this field alone is invalid.
 *
 * @param wrong - Invalid values by path, such as `theme/fontFamily`.
 */
export function wrongFields(wrong: Readonly<Record<string, readonly unknown[]>>): [string, object][] {
  return Object.entries(wrong).flatMap(([path, values]) =>
    values.map((value): [string, object] => [path, bodyWith(path, value)]),
  )
}

function bodyWith(path: string, value: unknown): object {
  return path.split('/').reduceRight((inner: unknown, name) => ({ [name]: inner }), value) as object
}
