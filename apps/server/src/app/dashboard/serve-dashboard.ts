import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../kernel/api-error.ts'
import { memoize } from '../../kernel/turns/memoize.ts'
import { type Asset, compressed, sendAsset, sendCompressed } from '../../pages/html/send-page.ts'
import { relays } from '../../pages/register-pages.ts'
import type { Log } from '../../platform/log.ts'
import { findBuild } from './find-build.ts'

const typeOf: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Allows requests to this service and, if configured, to the WalletConnect relay. No inline code. */
const policyOf = ({ hasWalletConnect }: { readonly hasWalletConnect: boolean }) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", ...(hasWalletConnect ? relays : [])].join(' ')}`,
    // For the theme previews at /preview.
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * Serves the merchant's web app at /app and builds it on the first request.
 *
 * @returns A function that builds it in advance. The next request retries a failed build.
 */
export function serveDashboard(
  app: FastifyInstance,
  needs: { readonly log: Log; readonly dataDir: string; readonly hasWalletConnect: boolean },
): () => Promise<void> {
  const policy = policyOf(needs)
  const open = memoize(async () => listBuildFiles(await findBuild(needs)))
  const showApp = async (request: FastifyRequest, reply: FastifyReply) => {
    const page = await (await open()).get('index.html')?.()
    if (!page) throw new Error('the web app was built without its page')
    reply
      .header('content-security-policy', policy)
      .header('x-content-type-options', 'nosniff')
      .header('x-frame-options', 'DENY')
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-opener-policy', 'same-origin-allow-popups')
      .header('cache-control', 'no-cache')
    return sendCompressed(request, reply, page)
  }
  app.get('/app', showApp)
  app.get<{ Params: { '*': string } }>('/app/*', showApp)
  app.get<{ Params: { file: string } }>(
    '/app/assets/:file',
    { config: { limit: 'none' } },
    async (request, reply) => {
      const asset = await (await open()).get(`assets/${request.params.file}`)?.()
      if (!asset) throw new ApiError('not_found', 'File not found')
      return sendAsset(request, reply, asset)
    },
  )
  return async () => void (await open())
}

/** Lists the files of a build. Each is read and compressed on its first request. */
async function listBuildFiles(folder: string): Promise<ReadonlyMap<string, () => Promise<Asset>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, () => Promise<Asset>>()
  for (const entry of entries) {
    const type = typeOf[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    const read = memoize(async () => compressed(type, await readFile(path)))
    files.set(relative(folder, path).split(sep).join('/'), read)
  }
  return files
}
