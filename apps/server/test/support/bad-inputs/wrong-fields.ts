/**
 * Bodies that have one wrong field each, with the field's path, as rows of a table of tests.
 *
 * @param wrong - By the path of a field, `theme/fontFamily`, values that it must not have.
 */
export function wrongFields(wrong: Readonly<Record<string, readonly unknown[]>>): [string, object][] {
  return Object.entries(wrong).flatMap(([path, values]) =>
    values.map((value): [string, object] => [path, bodyWith(path, value)]),
  )
}

function bodyWith(path: string, value: unknown): object {
  return path.split('/').reduceRight((inner: unknown, name) => ({ [name]: inner }), value) as object
}
