/** What was said in one attempt to deliver: kept for the merchant, and bounded whatever the receiver answers. */
export type Exchange = {
  readonly requestHeaders: Readonly<Record<string, string>>
  /** Absent where no answer came. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** Its beginning, as text. */
  readonly responseBody?: string
  readonly isResponseCut?: boolean
}

const maxHeaders = 40
const maxNameLength = 100
const maxValueLength = 512
const maxBodyBytes = 4 * 1024

/** What is kept of an attempt. */
export function keepExchange(
  requestHeaders: Readonly<Record<string, string>>,
  answer: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } | undefined,
): Exchange {
  if (!answer) return { requestHeaders }
  const headers = Object.entries(answer.headers)
    .slice(0, maxHeaders)
    .map(([name, value]) => [cut(name, maxNameLength), cut(value, maxValueLength)])
  const body = Buffer.from(answer.body.subarray(0, maxBodyBytes)).toString()
  return {
    requestHeaders,
    responseHeaders: Object.fromEntries(headers),
    responseBody: printable(body),
    isResponseCut: answer.body.byteLength > maxBodyBytes,
  }
}

function cut(text: string, length: number): string {
  return printable(text.slice(0, length))
}

/** The database takes no NUL and no half of a sign. */
function printable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}')
}
