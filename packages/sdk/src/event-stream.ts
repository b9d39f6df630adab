import { ConnectionError } from './errors.ts'
import { type Checkpoint, type FollowedEvent, prove, readEvent } from './event-feed.ts'
import { pause } from './pause.ts'
import type { FeedEvent } from './wire.ts'

/** How to listen to the stream of events. */
export type StreamOptions = {
  /** Begins after this event; where absent, with what happens from now on. `0` is the beginning of the feed. */
  readonly after?: Checkpoint | number | undefined
  /** Ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long to wait before a stream that ended is opened anew; three seconds where absent. */
  readonly reconnectMs?: number | undefined
}

/** Opens the stream after a number. */
type Open = (after: number | undefined, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>

/** The service says something every 15 seconds: what is silent for longer has ended without a word. */
const silenceMs = 45_000

/**
 * Every event a second after it happened at most, each proven to follow the one before by its hash. A stream that ends is
 * opened anew after the last event, so none is lost and none comes twice.
 *
 * @throws {FeedBrokenError} where the chain of hashes does not hold; the service's refusal, of a key that was revoked for
 * example; the signal's reason.
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
      if (at) await prove(at, found)
      at = { number: found.number, hash: found.hash }
      yield readEvent(found)
    }
    await pause(reconnectMs, signal)
  }
}

/** What one connection says; it ends where the connection does, for whatever reason. */
async function* readStream(
  open: Open,
  after: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSent, void, undefined> {
  const silence = new AbortController()
  const isOver = signal ? AbortSignal.any([silence.signal, signal]) : silence.signal
  let timer: ReturnType<typeof setTimeout> | undefined
  const hear = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), silenceMs)
  }
  try {
    const parse = makeParser()
    for await (const text of readText(await open(after, isOver))) {
      hear()
      yield* parse(text)
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    // A connection that broke off is opened anew; what the service refused is told.
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

/** One message of a stream of server-sent events. */
type ServerSent = {
  readonly id: number | undefined
  readonly event: string
  readonly data: string
}

/** Takes the text of a stream piece by piece, and gives the messages that are complete. */
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
