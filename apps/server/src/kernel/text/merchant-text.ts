/**
 * Whether a text is an https address that can stand in a page: no credentials, no whitespace, and none of the
 * signs that could end the place it is put in.
 */
export function isHttpsUrl(text: string): boolean {
  if (!/^https:\/\/[^\s"'<>\\^`{|}\p{C}]+$/iu.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return protocol === 'https:' && username === '' && password === ''
}

/** Whether a text is a link that people follow from a shop: a page, an address to write to, a number to call. */
export function isLinkUrl(text: string): boolean {
  if (/^(mailto|tel):/i.test(text))
    return /^(mailto:[^\s"'<>\\^`{|}\p{C}]*@|tel:\+?[0-9])[^\s"'<>\\^`{|}\p{C}]+$/iu.test(text)
  return isHttpsUrl(text.replace(/^http:/i, 'https:'))
}

/** What is wrong with a text shown in one line; `undefined` where nothing is. */
export function faultOfLine(text: string): string | undefined {
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) return 'must be a single line without control characters'
  return faultOfDirection(text)
}

/** As {@link faultOfLine} for a text of several lines. */
export function faultOfLines(text: string): string | undefined {
  if (/[^\P{Cc}\n\r\t]/u.test(text)) return 'must not contain control characters'
  return faultOfDirection(text)
}

/** Signs that turn the direction of what follows make a name read as another one. */
function faultOfDirection(text: string): string | undefined {
  return /[\u202A-\u202E\u2066-\u2069]/.test(text)
    ? 'must not contain characters that change the text direction'
    : undefined
}
