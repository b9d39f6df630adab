import { type Logger, pino } from 'pino'

/** Structured log: one JSON line an entry, on standard error, secrets blanked. */
export type Log = Logger

const secretPaths = [
  'key',
  'apiKey',
  'privateKey',
  'secret',
  'token',
  'cookie',
  'authorization',
  'password',
  'headers.cookie',
  'headers.authorization',
  'headers["ocp-apim-subscription-key"]',
  'headers["x-api-key"]',
  'headers["x-edge-secret"]',
  'headers["x-csrf-token"]',
]

const secretText = /sk_(live|test)_[0-9A-Za-z]{20,}|whsec_[0-9A-Za-z+/=]{20,}|postgres(ql)?:\/\/[^@\s"]+@/g

/**
 * `log` for lines that come by the thousand and whose fields are all named here, none of them secret: fields are not
 * searched for secrets, which takes four fifths of what a line costs. Texts are, as everywhere.
 */
export function withKnownFields(log: Log): Log {
  return log.child({}, { redact: [] })
}

/**
 * The process's log. Known secret fields are blanked, and so is any text shaped like one of our
 * keys or like a database URL with a password, wherever it stands in the line.
 *
 * Lines are written while others are made, so that a reader who is slow holds nothing up; what is left is
 * written when the process exits.
 */
export function makeLog(
  level: string,
  destination: { write(line: string): void } = pino.destination({ fd: 2, sync: false }),
): Log {
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretPaths.flatMap((path) => [path, `*.${path}`]), censor: '[secret]' },
    },
    { write: (line: string) => void destination.write(line.replace(secretText, '[secret]')) },
  )
}
