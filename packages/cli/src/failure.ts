import {
  ApiError,
  ConnectionError,
  ForbiddenError,
  InvalidRequestError,
  RateLimitedError,
  UnauthorizedError,
  UnexpectedResponseError,
} from '../../sdk/src/sluice.ts'

export const exitCodes = {
  done: 0,
  /** The service returned an error, a check failed, or a receipt failed. */
  failed: 1,
  usage: 2,
  unreachable: 3,
  waited: 4,
  interrupted: 130,
} as const

export class CliFailure extends Error {
  readonly exitCode: number
  readonly hint: string | undefined
  readonly code: string

  constructor(exitCode: number, message: string, hint?: string, code = 'failed') {
    super(message)
    this.name = 'CliFailure'
    this.exitCode = exitCode
    this.hint = hint
    this.code = code
  }
}

export function usageError(message: string, hint?: string): CliFailure {
  return new CliFailure(exitCodes.usage, message, hint, 'usage')
}

export function explain(error: unknown): CliFailure {
  if (error instanceof CliFailure) return error
  if (error instanceof ConnectionError)
    return new CliFailure(exitCodes.unreachable, error.message, hints.connection, 'unreachable')
  if (error instanceof UnexpectedResponseError)
    return new CliFailure(exitCodes.failed, error.message, hints.other, 'unexpected_answer')
  if (error instanceof ApiError) {
    const { code, message, correlationId } = error
    const issues = error instanceof InvalidRequestError ? error.issues.slice(1) : []
    const more = issues.map((issue) => `\n  ${issue.path}: ${issue.message}`).join('')
    const quote = error.status >= 500 && correlationId ? `Correlation id: ${correlationId}` : undefined
    return new CliFailure(exitCodes.failed, message + more, hintOf(error) ?? quote, code)
  }
  const { code, message } = error as NodeJS.ErrnoException
  return new CliFailure(exitCodes.failed, message || String(error), undefined, code ?? 'failed')
}

function hintOf(error: ApiError): string | undefined {
  if (error instanceof UnauthorizedError) return hints.key
  if (error.code === 'split_required') return hints.split
  if (error instanceof ForbiddenError) return hints.scope
  if (error instanceof RateLimitedError) return `Try again after ${new Date(error.resetAt).toISOString()}`
  return undefined
}

const hints = {
  connection: 'Is it running? `npm start` starts one on this machine; use --url or SLUICE_URL for another.',
  other: 'Is this the URL of a Sluice service? Check --url or SLUICE_URL.',
  key: 'Check the key: --key, SLUICE_KEY, or data/local.json of a local service.',
  scope: 'The key lacks the required scope. The web app shows the scopes of each key and creates others.',
  split: 'Configure the split first: log in to the web app, or POST /api/split/deploy with a session.',
}
