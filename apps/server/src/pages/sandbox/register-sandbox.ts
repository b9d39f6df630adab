import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../kernel/api-error.ts'
import { sandboxPath } from '../../onramp/sandbox/sandbox-provider.ts'
import type { SandboxSession } from '../../onramp/sandbox/session.ts'
import { evaluateCard, type TestOutcome, validateAccount } from '../../onramp/sandbox/test-cards.ts'
import type { PageAssets } from '../html/build-assets.ts'
import type { PageFrame } from '../html/error-page.ts'
import { type PageRequest, type PageResponse, type PageTools, pageHandler } from '../html/page-handler.ts'
import { isSentByOwnPage, readForm, takeForms } from '../html/read-form.ts'
import { linkTo, type SandboxAsked } from './pay-forms.ts'
import { safeRedirect, sandboxPage } from './sandbox-page.ts'

export type SandboxPages = {
  readonly find: (id: string) => Promise<SandboxSession | undefined>
  /** Pays in a session. A session that accepts no payment stays unchanged. */
  readonly pay: (id: string, outcome: TestOutcome) => Promise<SandboxSession | undefined>
  readonly networkName: string
}

type Needs = PageTools & { readonly sandbox: SandboxPages; readonly site: { readonly baseUrl: string } }

/** Seconds until a finished session returns the buyer automatically. */
const leaveAfterSeconds = 3

export function registerSandbox(app: FastifyInstance, needs: Needs, assets: PageAssets): void {
  const { sandbox, site } = needs
  const find = async (request: PageRequest): Promise<SandboxSession> =>
    found(await sandbox.find(idOf(request)))
  const show = (session: SandboxSession, asked: SandboxAsked, frame: PageFrame): PageResponse => ({
    html: sandboxPage({ session, networkName: sandbox.networkName }, asked, frame),
    allow: { forms: true },
    ...(asked.isWrong && { status: 400 }),
    headers: leaveHeaders(session),
  })
  const open = async (request: PageRequest, frame: PageFrame) =>
    show(await find(request), askedOf(request), frame)
  const pay = async (request: PageRequest, frame: PageFrame): Promise<PageResponse> => {
    if (!isSentByOwnPage(request, site.baseUrl)) throw new ApiError('not_found', 'Page not found')
    const before = await find(request)
    const form = readForm(request)
    const method = form.get('method') === 'bank' ? 'bank' : 'card'
    const number = (form.get('number') ?? '').trim().slice(0, 32)
    const outcome = method === 'bank' ? validateAccount(number) : evaluateCard(number)
    const asked = { ...askedOf(request), method, number } as const
    // An unknown number may be a real card: it is neither stored nor displayed.
    if (!outcome) return show(before, { ...asked, number: '', isWrong: true }, frame)
    const session = found(await sandbox.pay(before.id, outcome))
    return { redirect: ownPathOf(session, site.baseUrl) ?? linkTo(session, { lang: asked.lang }) }
  }
  app.get(`${sandboxPath}/:id`, { config: { limit: 'own' } }, pageHandler(needs, assets, open))
  app.register(async (scope) => {
    takeForms(scope)
    scope.post(`${sandboxPath}/:id`, { config: { limit: 'own' } }, pageHandler(needs, assets, pay))
  })
}

function idOf({ params: { id = '' } }: PageRequest): string {
  return /^sbx_[0-9A-Za-z]{1,64}$/.test(id) ? id : 'none'
}

function found(session: SandboxSession | undefined): SandboxSession {
  if (!session) throw new ApiError('not_found', 'Session not found')
  return session
}

function askedOf({ query }: PageRequest): SandboxAsked {
  const method = query.method === 'bank' ? 'bank' : 'card'
  const { number, lang } = query
  const isKnown =
    typeof number === 'string' && (method === 'bank' ? validateAccount(number) : evaluateCard(number))
  return {
    method,
    number: isKnown ? String(number) : undefined,
    isWrong: false,
    lang: typeof lang === 'string' ? lang.slice(0, 16) : undefined,
  }
}

/** Redirects directly only to this service; for other URLs, our result page redirects. */
function ownPathOf({ redirectUrl }: SandboxSession, baseUrl: string): string | undefined {
  const href = safeRedirect(redirectUrl)
  if (href === undefined || new URL(href).origin !== new URL(baseUrl).origin) return undefined
  const { pathname, search } = new URL(href)
  return pathname + search
}

/**
 * The policy's `form-action` blocks redirects to other sites, so the result page uses a `Refresh` header
 * instead.
 */
function leaveHeaders(session: SandboxSession): Record<string, string> {
  const href = safeRedirect(session.redirectUrl)
  const isOver = session.state === 'accepted' || session.state === 'ach_pending'
  return isOver && href !== undefined ? { refresh: `${leaveAfterSeconds}; url=${href}` } : {}
}
