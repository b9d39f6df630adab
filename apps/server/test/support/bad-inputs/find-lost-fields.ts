/**
 * Where an answer no longer says what it said: every field of `before` has to be there in `now` with the same
 * value. New fields are allowed, and so are new elements of lists.
 *
 * Elements that have an id, or the hash of a chain, are looked for by it, wherever they stand; others have to keep their place.
 */
export function findLostFields(before: unknown, now: unknown, path = ''): string[] {
  if (Array.isArray(before)) {
    if (!Array.isArray(now)) return [`${path}: a list became ${show(now)}`]
    return before.flatMap((element, index) =>
      findLostFields(element, findSame(element, index, now), `${path}[${index}]`),
    )
  }
  if (isObject(before)) {
    if (!isObject(now)) return [`${path}: an object became ${show(now)}`]
    return Object.entries(before).flatMap(([name, value]) => {
      const field = path === '' ? name : `${path}.${name}`
      if (!Object.hasOwn(now, name)) return [`${field}: is gone; it was ${show(value)}`]
      return findLostFields(value, now[name], field)
    })
  }
  return Object.is(before, now) ? [] : [`${path}: was ${show(before)} and is ${show(now)}`]
}

function findSame(element: unknown, index: number, list: readonly unknown[]): unknown {
  const name = isObject(element)
    ? ['id', 'hash'].find((each) => typeof element[each] === 'string')
    : undefined
  if (!isObject(element) || name === undefined) return list[index]
  return list.find((each) => isObject(each) && each[name] === element[name])
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 120)
}
