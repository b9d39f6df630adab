import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { memoize } from '../../kernel/turns/memoize.ts'
import type { Asset } from '../../pages/html/send-page.ts'

/** Placeholder of the nonce in the cached page. */
export const noncePlace = 'the-nonce-of-the-answer'

export type RenderedReference = {
  readonly page: string
  readonly scriptName: string
  /** Base64. */
  readonly scriptGzip: string
}

export type ReferencePage = {
  readonly page: string
  readonly scriptName: string
  readonly script: Asset
}

const limitMs = 60_000

/**
 * Renders the page on the first call, in a child process, to keep the library out of this process.
 *
 * A failed attempt is retried on the next call.
 */
export const makeReferencePage = (): (() => Promise<ReferencePage>) => memoize(render)

async function render(): Promise<ReferencePage> {
  const program = fileURLToPath(new URL('render-reference.ts', import.meta.url))
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_ENV: 'production' },
    timeout: limitMs,
  })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`the API reference page could not be built (exit ${code})`)
  const { scriptGzip, ...rest } = JSON.parse(said) as RenderedReference
  const gzip = Buffer.from(scriptGzip, 'base64')
  return { ...rest, script: { type: 'text/javascript; charset=utf-8', body: gunzipSync(gzip), gzip } }
}
