import { formatTag } from '../messages/messages.ts'

/** Formats a Unix time in ms in the user's time zone. */
export function dateTime(instant: number): string {
  return new Intl.DateTimeFormat(formatTag(), { dateStyle: 'medium', timeStyle: 'short' }).format(instant)
}

/** Formats a Unix time in ms with seconds and the time zone. */
export function exactTime(instant: number): string {
  return new Intl.DateTimeFormat(formatTag(), { dateStyle: 'full', timeStyle: 'long' }).format(instant)
}
