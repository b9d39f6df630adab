import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { remember } from '../../kernel/turns/remember.ts'
import type { Asset } from '../../pages/html/send-page.ts'

/** Where the page as it is made once has the nonce of the answer. */
export const noncePlace = 'the-nonce-of-the-answer'

/** What the program `render-reference.ts` prints. */
export type RenderedReference = {
  readonly page: string
  readonly scriptName: string
  /** In base64. */
  readonly scriptGzip: string
}

/** The page that shows the API's document, and its script. */
export type ReferencePage = {
  readonly page: string
  readonly scriptName: string
  readonly script: Asset
}

const limitMs = 60_000

/**
 * Makes the page in a process of its own, when somebody opens it for the first time: what makes it stays out of this one.
 * One that failed is tried again by the next who asks.
 */
export const makeReferencePage = (): (() => Promise<ReferencePage>) => remember(render)

async function render(): Promise<ReferencePage> {
  const program = fileURLToPath(new URL('render-reference.ts', import.meta.url))
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_ENV: 'production' },
    timeout: limitMs,
  })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`the page of the API reference could not be made (exit ${code})`)
  const { scriptGzip, ...rest } = JSON.parse(said) as RenderedReference
  const gzip = Buffer.from(scriptGzip, 'base64')
  return { ...rest, script: { type: 'text/javascript; charset=utf-8', body: gunzipSync(gzip), gzip } }
}
