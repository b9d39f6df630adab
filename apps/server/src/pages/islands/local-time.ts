/**
 * Writes the instants of a part of the page in the zone of the buyer; the server writes them in UTC. Days stand
 * before months in English, as on the server.
 */
export function writeLocalTimes(part: ParentNode): void {
  const { lang } = document.documentElement
  const format = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    numberingSystem: 'latn',
  })
  for (const time of part.querySelectorAll<HTMLTimeElement>('time[data-local-time]')) {
    const instant = Date.parse(time.dateTime)
    if (Number.isFinite(instant)) time.textContent = format.format(instant)
  }
}
