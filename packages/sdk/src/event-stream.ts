import { ConnectionError } from './errors.ts'
import { type Checkpoint, type FollowedEvent, readEvent, verifyNext } from './event-feed.ts'
import { pause } from './pause.ts'
import type { FeedEvent } from './wire.ts'

/** Options for streaming events. */
export type StreamOptions = {
  /**
   * Last event that you processed. `0` is the beginning of the feed. By default, the stream starts with new
   * events.
   */
  readonly after?: Checkpoint | number | undefined
  /** Ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds before an ended stream is reopened. Defaults to 3000. */
  readonly reconnectMs?: number | undefined
}

type Open = (after: number | undefined, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>

/** The service sends a line every 15 seconds. A longer silence means that the connection is dead. */
const silenceMs = 45_000

/**
 * Yields each event within a second and verifies its hash first. A stream that ends is opened again after the
 * last event, so that no event is missing or repeated.
 *
 * @throws {FeedBrokenError} if the hash chain is broken. {@link ApiError} if the service rejects the request,
 *   for example its key. The signal's reason if the caller aborts it.
 */
export async function* streamEvents(
  open: Open,
  { after, signal, reconnectMs = 3_000 }: StreamOptions,
): AsyncGenerator<FollowedEvent, void, undefined> {
  let at: Checkpoint | undefined = typeof after === 'number' ? { number: after } : after
  for (;;) {
    signal?.throwIfAborted()
    for await (const { id, event, data } of readStream(open, at?.number, signal)) {
      if (event === 'ready' && at === undefined) at = { number: id ?? 0 }
      if (event !== 'receipt.status_updated') continue
      const found = JSON.parse(data) as FeedEvent
      if (at && found.number <= at.number) continue
      if (at) await verifyNext(at, found)
      at = { number: found.number, hash: found.hash }
      yield readEvent(found)
    }
    await pause(reconnectMs, signal)
  }
}

async function* readStream(
  open: Open,
  after: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSent, void, undefined> {
  const silence = new AbortController()
  const isOver = signal ? AbortSignal.any([silence.signal, signal]) : silence.signal
  let timer: ReturnType<typeof setTimeout> | undefined
  const restartTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), silenceMs)
  }
  try {
    const parse = makeParser()
    for await (const text of readText(await open(after, isOver))) {
      restartTimer()
      yield* parse(text)
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    // Ends on a broken connection, so that the caller reconnects. Error responses are thrown.
    const isBroken = error instanceof ConnectionError || error instanceof TypeError || silence.signal.aborted
    if (!isBroken) throw error
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

async function* readText(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    yield decoder.decode(value, { stream: true })
  }
}

type ServerSent = {
  readonly id: number | undefined
  readonly event: string
  readonly data: string
}

/** Returns a parser for the chunks of a stream. Each call returns the messages that its chunk completes. */
export function makeParser(): (text: string) => ServerSent[] {
  let rest = ''
  return (text) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => {
      const fields = new Map<string, string>()
      for (const line of block.split('\n')) {
        const [, name = '', value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? []
        if (name) fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value)
      }
      const id = fields.get('id')
      const data = fields.get('data')
      if (data === undefined) return []
      return [
        { id: id === undefined ? undefined : Number(id), event: fields.get('event') ?? 'message', data },
      ]
    })
  }
}
