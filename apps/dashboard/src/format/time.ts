import { formatTag } from '../messages/messages.ts'

/** Day and time in the zone of the reader. */
export function dateTime(instant: number): string {
  return new Intl.DateTimeFormat(formatTag(), { dateStyle: 'medium', timeStyle: 'short' }).format(instant)
}

/** The same to the second, with the zone: what stands in a title. */
export function exactTime(instant: number): string {
  return new Intl.DateTimeFormat(formatTag(), { dateStyle: 'full', timeStyle: 'long' }).format(instant)
}
