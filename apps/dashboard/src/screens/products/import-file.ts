import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'

export type ImportProgress = {
  readonly stage: 'checking' | 'writing'
  readonly done: number
  readonly total: number
}

export type ImportResult = {
  readonly created: number
  readonly updated: number
  readonly ignoredColumns: readonly string[]
}

/**
 * Imports all products in a CSV file or none, and reports the progress.
 *
 * @throws {ApiError} with validation errors whose paths contain the line and the column.
 */
export async function importFile(
  csv: string,
  report: (progress: ImportProgress) => void,
): Promise<ImportResult> {
  const { data, response } = await api.POST('/api/inventory/import', {
    body: csv,
    bodySerializer: (body) => body,
    headers: { 'content-type': 'text/csv', accept: 'application/x-ndjson' },
    parseAs: 'stream',
  })
  let last: Record<string, unknown> = {}
  for await (const line of linesOf(data as ReadableStream<Uint8Array>)) {
    last = JSON.parse(line) as Record<string, unknown>
    if ('stage' in last) report(last as unknown as ImportProgress)
  }
  const reference = response.headers.get('x-correlation-id') ?? undefined
  // The service sends the HTTP status before the import ends, so the last line contains any error.
  if ('error' in last) throw new ApiError(400, last, reference)
  if (last.ok !== true) throw new ApiError(0, undefined, reference)
  return last as unknown as ImportResult
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter(Boolean)
    if (done) break
  }
  if (rest) yield rest
}
