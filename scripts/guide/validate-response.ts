/**
 * Returns the first difference between the printed response and the one in the guide, or `undefined`.
 *
 * In a guide, `…` matches anything. JSON may contain fields that the guide omits, a list may end with `"…"`,
 * and a time (Unix milliseconds) matches any time. Text is compared line by line.
 */
export function evaluateResponse(language: string, shown: string, printed: string): string | undefined {
  if (language !== 'json')
    return isLike(shown.trim(), printed.replaceAll('\r', '').trim())
      ? undefined
      : `printed: ${printed.trim()}`
  let response: unknown
  try {
    response = JSON.parse(printed)
  } catch {
    return `not JSON: ${printed.slice(0, 400)}`
  }
  return differ(JSON.parse(shown), response, '')
}

const firstTime = 1_000_000_000_000

function differ(shown: unknown, found: unknown, at: string): string | undefined {
  const error = `${at || 'the answer'} is ${JSON.stringify(found)?.slice(0, 400)}, not ${JSON.stringify(shown)}`
  if (typeof shown === 'string')
    return shown === '…' || (typeof found === 'string' && isLike(shown, found)) ? undefined : error
  if (typeof shown === 'number' && shown >= firstTime)
    return typeof found === 'number' && found >= firstTime ? undefined : error
  if (typeof shown !== 'object' || shown === null) return Object.is(shown, found) ? undefined : error
  if (typeof found !== 'object' || found === null || Array.isArray(shown) !== Array.isArray(found))
    return error
  if (Array.isArray(shown)) {
    const isOpen = shown.at(-1) === '…'
    const wanted = isOpen ? shown.slice(0, -1) : shown
    const { length } = found as unknown[]
    if (isOpen ? length < wanted.length : length !== wanted.length)
      return `${at || 'the answer'} has ${length} elements, not ${wanted.length}`
  }
  for (const [name, value] of Object.entries(shown)) {
    if (Array.isArray(shown) && value === '…') continue
    const inner = differ(value, (found as Record<string, unknown>)[name], `${at}/${name}`)
    if (inner) return inner
  }
  return undefined
}

function isLike(shown: string, printed: string): boolean {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^\\n]*')}$`).test(printed)
}
