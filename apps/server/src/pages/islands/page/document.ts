/**
 * Parses a newer copy of the page without its inline style: the style's nonce would violate this page's
 * content security policy.
 */
export function parsePage(text: string): Document {
  return new DOMParser().parseFromString(text.replace(/<style[^>]*>[^<]*<\/style>/g, ''), 'text/html')
}

/**
 * Rewrites UTC times in the local time zone. `data-local-time` names the locale; `data-short` shows only the
 * time.
 */
export function localiseTimes(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-local-time]')) {
    const { localTime, short } = time.dataset
    const date = short === undefined ? ({ day: 'numeric', month: 'short', year: 'numeric' } as const) : {}
    const format = new Intl.DateTimeFormat(localTime || undefined, {
      ...date,
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    })
    time.textContent = format.format(new Date(time.dateTime))
    delete time.dataset.localTime
  }
}

/**
 * Returns whether an action ran for a receipt in this tab, and marks it as run. Without storage, returns
 * false.
 */
export function wasDone(what: string, receipt: string): boolean {
  try {
    const key = `sluice:${what}:${receipt}`
    const was = sessionStorage.getItem(key) !== null
    sessionStorage.setItem(key, '1')
    return was
  } catch {
    return false
  }
}
