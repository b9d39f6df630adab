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
 * The process's log. Known secret fields are blanked, and so is any text shaped like one of our
 * keys or like a database URL with a password, wherever it stands in the line.
 */
export function makeLog(level: string, destination: { write(line: string): void } = process.stderr): Log {
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretPaths.flatMap((path) => [path, `*.${path}`]), censor: '[secret]' },
    },
    { write: (line: string) => void destination.write(line.replace(secretText, '[secret]')) },
  )
}
