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
