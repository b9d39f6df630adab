import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Additions to the default content security policy. */
export type PageAllowances = {
  /** Allows forms that submit to this service. Browsers then send the `Origin` header with forms. */
  readonly forms?: boolean
  readonly framedBy?: readonly string[]
  readonly connect?: readonly string[]
  readonly frames?: boolean
  /** Allows images from any https URL, without the image proxy. */
  readonly hasRemotePictures?: boolean
  /** For a merchant's script in the checkout's frame: sandboxed with an opaque origin. */
  readonly isSandboxed?: boolean
}

/** Sends a page with the security headers. `nonce` is for the page's style and script. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: {
    readonly status: number
    readonly nonce: string
    readonly html: SafeHtml
    readonly allow?: PageAllowances
  },
): Promise<FastifyReply> {
  reply
    .status(page.status)
    .headers(securityHeaders(page.nonce, page.allow ?? {}))
    .headers(openerPolicy(request))
    .header('cache-control', 'no-store')
    .header('vary', 'accept-language')
  return sendCompressed(request, reply, await compressed('text/html; charset=utf-8', String(page.html)))
}

export function sendCompressed(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const vary = reply.getHeader('vary')
  reply.header('vary', vary ? `${vary}, accept-encoding` : 'accept-encoding').type(asset.type)
  if (!asset.gzip || !takesGzip(request)) return reply.send(asset.body)
  return reply.header('content-encoding', 'gzip').send(asset.gzip)
}

function takesGzip(request: Pick<FastifyRequest, 'headers'>): boolean {
  return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
}

export type PageFile = { readonly type: string; readonly name: string; readonly body: Buffer }

/** Sends a file generated for this request: inline, with a file name, not cached. */
export function sendFile(reply: FastifyReply, { type, name, body }: PageFile): FastifyReply {
  const plain = name.replace(/[^\w.-]+/g, '_')
  return reply
    .headers({
      // Browsers' built-in PDF viewers do not work under `sandbox` or `default-src`.
      'content-security-policy': "frame-ancestors 'none'",
      'content-disposition': `inline; filename="${plain}"; filename*=UTF-8''${encodeFileName(name)}`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    .type(type)
    .send(body)
}

/** RFC 8187 encodes four characters that `encodeURIComponent` leaves unencoded. */
function encodeFileName(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}

/**
 * Sends an asset with permanent caching: its name changes with its content.
 *
 * Images are readable from any origin, such as a partner's domain.
 */
export function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  if (asset.type.startsWith('image/')) reply.headers(imageHeaders)
  reply
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('x-content-type-options', 'nosniff')
  return sendCompressed(request, reply, asset)
}

/** Headers that let any origin show and read an image. */
export const imageHeaders = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

/**
 * Forbids inline code, other origins and framing. Allows `data:` images, which EIP-6963 uses for wallet
 * icons.
 */
function securityHeaders(nonce: string, allow: PageAllowances): Record<string, string> {
  if (allow.isSandboxed) return sandboxHeaders(nonce, allow.framedBy ?? [])
  const isFramed = (allow.framedBy ?? []).length > 0
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      `img-src 'self' data:${allow.hasRemotePictures ? ' https:' : ''}`,
      "font-src 'self'",
      `connect-src ${["'self'", ...(allow.connect ?? [])].join(' ')}`,
      ...(allow.frames ? ["frame-src 'self'"] : []),
      "base-uri 'none'",
      `form-action ${allow.forms ? "'self'" : "'none'"}`,
      `frame-ancestors ${isFramed ? allow.framedBy?.join(' ') : "'none'"}`,
    ].join('; '),
    ...(isFramed ? {} : { 'x-frame-options': 'DENY' }),
    'x-content-type-options': 'nosniff',
    // Without a referrer, browsers send `Origin: null` with forms, and other sites can send the same value.
    'referrer-policy': allow.forms ? 'same-origin' : 'no-referrer',
    'permissions-policy':
      'camera=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)',
  }
}

/**
 * Isolates the page from its opener. Omitted on plain http, where browsers ignore the header with a warning.
 */
function openerPolicy(request: FastifyRequest): Record<string, string> {
  const isTrusted = request.headers['sec-fetch-dest'] !== undefined
  return isTrusted ? { 'cross-origin-opener-policy': 'same-origin-allow-popups' } : {}
}

/** Allows scripts only: no origin, network access, forms, new windows or top-frame navigation. */
function sandboxHeaders(nonce: string, framedBy: readonly string[]): Record<string, string> {
  return {
    'content-security-policy': [
      'sandbox allow-scripts',
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${["'self'", ...framedBy].join(' ')}`,
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
}

const compress = promisify(gzip)

export type Asset = {
  readonly type: string
  readonly body: Buffer
  /** `undefined` if the format is already compressed. */
  readonly gzip: Buffer | undefined
}

export async function compressed(type: string, content: string | Buffer): Promise<Asset> {
  const body = Buffer.from(content)
  return { type, body, gzip: await compress(body) }
}
