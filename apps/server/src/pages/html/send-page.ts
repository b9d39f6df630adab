import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a page's policy allows beyond that of every page. */
export type PageAllowances = {
  /** Its forms may be sent, to the service itself, and say that they come from there. */
  readonly forms?: boolean
  /** Origins whose pages may show it in a frame. */
  readonly framedBy?: readonly string[]
  /** Where its script may connect to beside the service itself. */
  readonly connect?: readonly string[]
  /** It may show pages of the service itself in a frame. */
  readonly frames?: boolean
  /** It shows pictures of https addresses as they are, without our proxy. */
  readonly hasRemotePictures?: boolean
  /** It holds a script that is not ours: shown in a frame of our own pages only, and there without any origin. */
  readonly isSandboxed?: boolean
}

/** Sends a page with the headers all pages have. `nonce` is that of the page's style and script. */
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

/** Sends it as the client takes it. */
export function sendCompressed(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const vary = reply.getHeader('vary')
  reply.header('vary', vary ? `${vary}, accept-encoding` : 'accept-encoding').type(asset.type)
  if (!asset.gzip || !takesGzip(request)) return reply.send(asset.body)
  return reply.header('content-encoding', 'gzip').send(asset.gzip)
}

/** Whether a client takes compressed answers. */
function takesGzip(request: Pick<FastifyRequest, 'headers'>): boolean {
  return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
}

/** A file that is made for one request, and what it is called where it is kept. */
export type PageFile = { readonly type: string; readonly name: string; readonly body: Buffer }

/** Sends a file that was made for this request alone: to be shown, kept under its name, and not cached. */
export function sendFile(reply: FastifyReply, { type, name, body }: PageFile): FastifyReply {
  const plain = name.replace(/[^\w.-]+/g, '_')
  return reply
    .headers({
      // Browsers show a PDF with a viewer of their own, which neither a sandbox nor `default-src` lets work.
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

/** As RFC 8187 wants it: four signs more than `encodeURIComponent` takes. */
function encodeFileName(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}

/**
 * Sends one of our files, to be kept for ever: its name changes with its content. Images may be shown and read
 * by pages of any origin, a partner's domain for one (contract: Endpoints, Other).
 */
export function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  if (asset.type.startsWith('image/')) reply.headers(imageHeaders)
  reply
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('x-content-type-options', 'nosniff')
  return sendCompressed(request, reply, asset)
}

/** What every picture is answered with, so that a partner's pages may show it. */
export const imageHeaders = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

/**
 * Nothing inline, nothing from elsewhere, no frame around it. Wallets' icons are `data:` images
 * by EIP-6963; a wallet extension works outside the page's policy.
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
    // Without a referrer a form of ours says `Origin: null`, as one of a stranger may.
    'referrer-policy': allow.forms ? 'same-origin' : 'no-referrer',
    'permissions-policy':
      'camera=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)',
  }
}

/**
 * No window that opened the page reaches it. To a page of plain http browsers do not say what a request is for,
 * and there they would only complain of this.
 */
function openerPolicy(request: FastifyRequest): Record<string, string> {
  const isTrusted = request.headers['sec-fetch-dest'] !== undefined
  return isTrusted ? { 'cross-origin-opener-policy': 'same-origin-allow-popups' } : {}
}

/** Scripts run, and that is all: without an origin, a network, forms, windows or a way out of the frame. */
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

/** A file as it is served, to those who take it compressed and to those who do not. */
export type Asset = {
  readonly type: string
  readonly body: Buffer
  /** None where the file is compressed already. */
  readonly gzip: Buffer | undefined
}

/** A text or a file with its compressed form. */
export async function compressed(type: string, content: string | Buffer): Promise<Asset> {
  const body = Buffer.from(content)
  return { type, body, gzip: await compress(body) }
}
