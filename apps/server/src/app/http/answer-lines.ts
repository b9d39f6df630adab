import { Readable } from 'node:stream'
import { viewError } from '../../kernel/refusal.ts'
import type { Log } from '../../platform/log.ts'
import { asErrorAnswer, viewFault } from './answer-errors.ts'

/** What such an answer is sent as: JSON values, one a line. */
export const linesType = 'application/x-ndjson; charset=utf-8'

/**
 * An answer that comes line by line. Its status is sent before the outcome is known, so an error is the
 * last line, in the form it has as an answer of its own.
 */
export function streamLines(log: Log, lines: AsyncIterable<unknown>, correlationId: string): Readable {
  return Readable.from(write(log, lines, correlationId))
}

async function* write(
  log: Log,
  lines: AsyncIterable<unknown>,
  correlationId: string,
): AsyncGenerator<string> {
  try {
    for await (const line of lines) yield `${JSON.stringify(line)}\n`
  } catch (error) {
    const answer = asErrorAnswer(error)
    if (!answer) log.error({ err: error, correlationId }, 'a request failed while its answer was being sent')
    yield `${JSON.stringify(answer ? viewError(answer) : viewFault(correlationId))}\n`
  }
}
