/**
 * Returns whether a text is an https URL that is safe in a page: no credentials, no whitespace, no
 * delimiters.
 */
export function isHttpsUrl(text: string): boolean {
  if (!/^https:\/\/[^\s"'<>\\^`{|}\p{C}]+$/iu.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return protocol === 'https:' && username === '' && password === ''
}

/** Returns whether a text is an http(s), mailto or tel URL that is safe in a page. */
export function isLinkUrl(text: string): boolean {
  if (/^(mailto|tel):/i.test(text))
    return /^(mailto:[^\s"'<>\\^`{|}\p{C}]*@|tel:\+?[0-9])[^\s"'<>\\^`{|}\p{C}]+$/iu.test(text)
  return isHttpsUrl(text.replace(/^http:/i, 'https:'))
}

/** Returns the error of a single-line text: control characters, or characters that change the direction. */
export function errorOfLine(text: string): string | undefined {
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) return 'must be a single line without control characters'
  return errorOfDirection(text)
}

/** Returns the error of a multi-line text, in which tabs and line breaks are valid. */
export function errorOfLines(text: string): string | undefined {
  if (/[^\P{Cc}\n\r\t]/u.test(text)) return 'must not contain control characters'
  return errorOfDirection(text)
}

/** Rejects characters that change the text direction, because they can disguise one name as another. */
function errorOfDirection(text: string): string | undefined {
  return /[\u202A-\u202E\u2066-\u2069]/.test(text)
    ? 'must not contain characters that change the text direction'
    : undefined
}
