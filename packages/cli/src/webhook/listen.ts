import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, WebhookVerificationError } from '../../../sdk/src/sluice.ts'
import type { Command, TestContext } from '../command.ts'
import { CliFailure, exitCodes, usageError } from '../failure.ts'
import { clean, showTime } from '../output.ts'
import { readInteger } from '../parse-arguments.ts'
import { showStatus } from '../receipt/show-status.ts'
import { findTarget } from '../settings.ts'

const maxBodyBytes = 1024 * 1024

export const webhookListen: Command = {
  path: ['webhook', 'listen'],
  summary: 'Receives webhooks on this machine, verifies both signatures and prints each event',
  options: {
    port: { value: 'N', help: 'port to listen on (default 9000; 0 for any free port)' },
    host: { value: 'ADDRESS', help: 'address to listen on (default 127.0.0.1)' },
    'old-key': { value: 'KEY', isMany: true, help: 'another key, with which older receipts were created' },
    count: { value: 'N', help: 'stop after this many verified events' },
  },
  details: `A service in development can send to this machine. A remote service needs a public https URL that leads here, for
example with
  cloudflared tunnel --url http://127.0.0.1:9000      or      ssh -R 80:127.0.0.1:9000 serveo.net
Press Ctrl-C to stop. With --json: one event per line.`,
  examples: ['webhook listen', 'receipt create --line Coffee=3.50 --webhook http://127.0.0.1:9000/hook'],
  async run(context, input) {
    const { key } = findTarget(context.env, input)
    if (key === undefined) throw usageError('No key to verify with', 'Set SLUICE_KEY or --key.')
    const keys = [key, ...input.texts('old-key')]
    const port = readInteger(input, 'port', { min: 0, max: 65_535 }) ?? 9000
    const host = input.text('host') ?? '127.0.0.1'
    const count = readInteger(input, 'count', { min: 1, max: 1_000_000 }) ?? Number.POSITIVE_INFINITY
    await listen(context, { keys, port, host, count })
    return exitCodes.done
  },
}

type Place = {
  readonly keys: readonly string[]
  readonly port: number
  readonly host: string
  readonly count: number
}

function listen(context: TestContext, { keys, port, host, count }: Place): Promise<void> {
  const { out, signal } = context
  const seen = new Set<string>()
  return new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      receive(context, keys, seen, request, response).catch((error: unknown) => {
        response.destroy()
        out.note(`A request was cut off: ${(error as Error).message}`)
      })
      response.on('finish', () => {
        if (seen.size >= count) stop()
      })
    })
    const stop = () => {
      server.close(() => resolve())
      server.closeIdleConnections()
    }
    signal.addEventListener('abort', () => {
      server.closeAllConnections()
      stop()
    })
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hint = error.code === 'EADDRINUSE' ? 'Choose another --port.' : undefined
      reject(new CliFailure(exitCodes.failed, `Cannot listen on ${host}:${port}: ${error.message}`, hint))
    })
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo
      out.note(`Listening: http://${host}:${address.port}/hook`)
      out.note(
        'Create receipts with this URL as webhook_url. Press Ctrl-C to stop; --help explains how to reach it from elsewhere.',
      )
    })
  })
}

async function receive(
  { out }: TestContext,
  keys: readonly string[],
  seen: Set<string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request)
  if (request.method !== 'POST' || body === undefined) {
    response.writeHead(request.method === 'POST' ? 413 : 405).end()
    return
  }
  try {
    const event = await verifyWebhook(body, request.headers, { keys })
    const isRepeat = seen.has(event.idempotencyKey)
    seen.add(event.idempotencyKey)
    out.result({ isRepeat, event }, () => {
      const change = `${event.previousStatus} → ${showStatus(out, event.status)}`
      const repeat = isRepeat ? out.paint('weak', '  (again)') : ''
      out.line(`${showTime(event.timestamp)}  ${clean(event.receiptId)}  ${change}${repeat}`)
    })
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    out.note(`${out.paint('bad', 'refused')}: ${error.message}`)
    response.writeHead(400).end()
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > maxBodyBytes) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
