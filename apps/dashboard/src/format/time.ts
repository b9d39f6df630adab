import { formatTag } from '../messages/messages.ts'

/** Formats a Unix time in ms in the reader's time zone. */
export function dateTime(instant: number): string {
  return new Intl.DateTimeFormat(formatTag(), { dateStyle: 'medium', timeStyle: 'short' }).format(instant)
}

/** Formats a Unix time in ms to the second, with the time zone. */
export function exactTime(instant: number): string {
  return new Intl.DateTimeFormat(formatTag(), { dateStyle: 'full', timeStyle: 'long' }).format(instant)
}
