import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../kernel/api-error.ts'
import type { ClaimCase } from '../../payments/claims/find-case.ts'
import { type ClaimablePayment, parseTransactionHash } from '../../payments/claims/find-claimable.ts'
import type { PageAssets } from '../html/build-assets.ts'
import type { PageFrame } from '../html/error-page.ts'
import { type PageRequest, type PageResponse, type PageTools, pageHandler } from '../html/page-handler.ts'
import { takeForms } from '../html/read-form.ts'
import type { FindTheme } from '../theme/make-theme.ts'
import { casePage } from './case-page.ts'
import { emptyForm, type FormError, type FormState } from './claim-forms.ts'
import { claimPage, type Search } from './claim-page.ts'
import { type ClaimSite, linkTo } from './payment-facts.ts'

export type WordClaim = {
  readonly transactionHash: string
  readonly logIndex: number
  readonly refundAddress: string
  readonly contact: string
  readonly note: string
  readonly host: string | undefined
  /** Client IP address, to which the rate limits apply. */
  readonly address: string
}

export type ClaimPageNeeds = PageTools & {
  readonly claims: {
    readonly find: (hash: string, host: string | undefined) => Promise<readonly ClaimablePayment[]>
    /**
     * @returns the case id.
     * @throws {ApiError} `not_found`, `invalid_input`.
     */
    readonly make: (claim: WordClaim) => Promise<string>
    /** @throws {ApiError} `not_found` */
    readonly findCase: (id: string, host: string | undefined) => Promise<ClaimCase>
    readonly chain: ClaimSite['chain']
  }
  readonly themes: { readonly find: FindTheme }
  readonly site: { readonly hasDemoWallet?: boolean }
  readonly addressOf: (request: FastifyRequest) => string
}

export function registerClaim(app: FastifyInstance, needs: ClaimPageNeeds, assets: PageAssets): void {
  const { claims } = needs
  /** Uses the brand of the requested host, never the merchant that received the money. */
  const framed = async (request: PageRequest, frame: PageFrame): Promise<PageFrame> => ({
    ...frame,
    theme: await needs.themes.find(undefined, request.headers.host),
  })
  const siteOf = async (request: PageRequest): Promise<ClaimSite> => ({
    brandName: (await needs.themes.find(undefined, request.headers.host)).brandName,
    chain: claims.chain,
    hasDemoWallet: needs.site.hasDemoWallet ?? false,
    lang:
      textOf((request.body as URLSearchParams | undefined)?.get('lang') ?? request.query.lang) || undefined,
  })
  const show = async (request: PageRequest, frame: PageFrame): Promise<PageResponse> => {
    const { hash, log } = request.query
    const search = await findFor(needs, textOf(hash), textOf(log), request.headers.host)
    return {
      html: claimPage(search, await siteOf(request), await framed(request, frame)),
      allow: { forms: true },
    }
  }
  const make = async (request: PageRequest, frame: PageFrame): Promise<PageResponse> => {
    refuseOtherSites(request)
    const site = await siteOf(request)
    const sent = readForm(request)
    const claim = { ...sent, host: request.headers.host, address: needs.addressOf(request) }
    try {
      return { redirect: linkTo(site, {}, `/claim/${await claims.make(claim)}`) }
    } catch (error) {
      const form: FormState = { ...sent, errors: errorsOf(error) }
      const found = await findFor(needs, sent.transactionHash, String(sent.logIndex), claim.host)
      const search: Search = found.kind === 'one' ? { ...found, form } : found
      return {
        status: found.kind === 'one' ? 400 : 404,
        html: claimPage(search, site, await framed(request, frame)),
        allow: { forms: true },
      }
    }
  }
  const showCase = async (request: PageRequest, frame: PageFrame): Promise<PageResponse> => {
    const view = await claims.findCase(request.params.id ?? '', request.headers.host)
    return { html: casePage(view, await siteOf(request), await framed(request, frame)) }
  }
  const showHandler = pageHandler(needs, assets, show)
  const searchHandler = pageHandler(needs, assets, show, 'claims')
  app.get('/claim', { config: { limit: 'own' } }, (request, reply) => {
    const asked = request as PageRequest
    return asked.query.hash === undefined ? showHandler(asked, reply) : searchHandler(asked, reply)
  })
  app.get('/claim/:id', { config: { limit: 'own' } }, pageHandler(needs, assets, showCase))
  // A separate Fastify scope keeps form parsing away from the JSON routes.
  app.register(async (scope) => {
    takeForms(scope)
    scope.post('/claim', { config: { limit: 'own' } }, pageHandler(needs, assets, make, 'claims'))
  })
}

/** Finds the payments in a transaction. If it contains several, the `log` parameter selects one. */
async function findFor(
  { claims }: ClaimPageNeeds,
  typed: string,
  log: string,
  host: string | undefined,
): Promise<Search> {
  if (typed.trim() === '') return { kind: 'none-yet' }
  const hash = parseTransactionHash(typed)
  if (!hash) return { kind: 'no-hash', typed: typed.slice(0, 80) }
  const payments = await claims.find(hash, host)
  const [only] = payments
  const meant = payments.length === 1 ? only : payments.find(({ logIndex }) => String(logIndex) === log)
  if (meant) return { kind: 'one', payment: meant, form: emptyForm }
  return payments.length === 0 ? { kind: 'nothing', hash } : { kind: 'several', hash, payments }
}

/** Rejects forms submitted from other sites, according to the browser's `Sec-Fetch-Site` header. */
function refuseOtherSites({ headers }: PageRequest): void {
  const from = headers['sec-fetch-site']
  if (from !== undefined && from !== 'same-origin' && from !== 'none')
    throw new ApiError('not_found', 'Page not found')
}

function readForm({ body }: PageRequest) {
  const fields = body instanceof URLSearchParams ? body : new URLSearchParams()
  const field = (name: string, maxLength: number) => (fields.get(name) ?? '').slice(0, maxLength)
  const log = field('log', 12)
  return {
    transactionHash: field('hash', 80),
    logIndex: /^(-1|\d{1,9})$/.test(log) ? Number(log) : Number.NaN,
    refundAddress: field('refundAddress', 80).trim(),
    contact: field('contact', 1_000).trim(),
    note: field('note', 4_000),
  }
}

/** Returns the invalid fields. Rethrows errors that are unrelated to the form. */
function errorsOf(error: unknown): FormError[] {
  if (!(error instanceof ApiError)) throw error
  if (error.code === 'not_found') return []
  if (error.code !== 'invalid_input') throw error
  const issues = (error.extras.issues ?? []) as readonly { readonly path: string }[]
  const errors = issues.map(
    ({ path }): FormError =>
      path === 'refundAddress' || path === 'contact' || path === 'note' ? path : 'full',
  )
  return [...new Set(errors)]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
