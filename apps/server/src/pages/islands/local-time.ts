/** Writes the times of a page in the zone of whoever reads it; the server knows UTC alone. */
export function localizeTimes(root: ParentNode): void {
  const { lang } = document.documentElement
  const format = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang === 'ar' ? 'ar-u-nu-latn' : lang, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  })
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[data-local-time]')) {
    const at = new Date(time.dateTime)
    if (!Number.isNaN(at.getTime())) time.textContent = format.format(at)
  }
}
