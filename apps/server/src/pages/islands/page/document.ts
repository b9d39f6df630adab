/**
 * A newer copy of a page, without the style of its theme: that has the nonce of its own policy, which the policy of this
 * page does not know, and would report.
 */
export function parsePage(text: string): Document {
  return new DOMParser().parseFromString(text.replace(/<style[^>]*>[^<]*<\/style>/g, ''), 'text/html')
}

/**
 * Writes the times of the page anew in the zone of whoever reads it. The server wrote them in UTC, and says in
 * `data-local-time` by which language's custom; `data-short`: the hour alone.
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

/** Whether something was done for a receipt in this tab; from now on it was. What may be done twice is done again where nothing can be kept. */
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
