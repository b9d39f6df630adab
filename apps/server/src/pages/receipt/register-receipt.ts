import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ReceiptView } from '../../payments/tracking/receipt-view.ts'
import type { PageAssets } from '../html/build-assets.ts'
import type { PageFrame } from '../html/error-page.ts'
import { type PageRequest, type PageResponse, type PageTools, pageHandler } from '../html/page-handler.ts'
import type { FindTheme } from '../theme/make-theme.ts'
import { PdfPrinter } from './pdf-printer.ts'
import { type ReceiptAddress, receiptPage, receiptPaths, unpaidPage } from './receipt-page.ts'
import { paidStatus } from './receipt-texts.ts'

/** @throws {ApiError} `not_found` */
export type FindReceipt = (
  asked: ReceiptAddress & { readonly host: string | undefined },
) => Promise<ReceiptView>

export type ReceiptPageNeeds = PageTools & {
  readonly clock: Clock
  readonly themes: { readonly find: FindTheme }
  readonly receipts: {
    readonly find: FindReceipt
    readonly baseUrl: (brandKey: string) => Promise<string>
  }
}

/**
 * Registers the receipt's page, and its PDF at the same path with `.pdf`.
 *
 * If a receipt's own id ends with `.pdf`, its page is shown, unless a receipt with the shorter id exists.
 */
export function registerReceipt(app: FastifyInstance, needs: ReceiptPageNeeds, assets: PageAssets): void {
  const { receipts } = needs
  const printer = new PdfPrinter(needs)
  app.addHook('onClose', async () => printer.close())
  const find = async (request: PageRequest, address: ReceiptAddress) => {
    const view = await receipts.find({ ...address, host: request.headers.host })
    return { view, paths: receiptPaths(await receipts.baseUrl(view.brandKey), address) }
  }
  const show = async (request: PageRequest, frame: PageFrame): Promise<PageResponse> => {
    const { view, paths } = await find(request, readAddress(request))
    const page = paidStatus(view) === undefined ? unpaidPage : receiptPage
    const theme = await needs.themes.find(view.recipient)
    return { html: page(view, paths, { ...frame, theme }) }
  }
  const showPdf = async (request: PageRequest, frame: PageFrame): Promise<PageResponse> => {
    const address = readAddress(request)
    const found = await unlessUnknown(
      find(request, { ...address, id: address.id.slice(0, -pdfEnding.length) }),
    )
    if (!found) return show(request, frame)
    const { view, paths } = found
    if (paidStatus(view) === undefined) return { redirect: paths.page }
    const asked = { view, locale: frame.t.locale, url: paths.absolute }
    const body = await printer.draw(asked)
    return { file: { type: 'application/pdf', name: `${view.receiptId}.pdf`, body } }
  }
  const showHandler = pageHandler(needs, assets, show)
  const showPdfInTurn = (request: PageRequest, frame: PageFrame) => {
    const { recipient, id } = readAddress(request)
    const owner = (recipient ?? id).toLowerCase()
    return printer.inTurn(
      owner,
      () => showPdf(request, frame),
      () => request.socket.destroyed,
    )
  }
  const pdfHandler = pageHandler(needs, assets, showPdfInTurn, 'documents')
  app.get('/receipt/:id', { config: { limit: 'own' } }, (request, reply) => {
    const asked = request as PageRequest
    return (asked.params.id ?? '').endsWith(pdfEnding) ? pdfHandler(asked, reply) : showHandler(asked, reply)
  })
}

const pdfEnding = '.pdf'

async function unlessUnknown<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return undefined
    throw error
  }
}

/** @throws {ApiError} `not_found` if `recipient` is repeated. */
function readAddress(request: PageRequest): ReceiptAddress {
  const { recipient, access, lang } = request.query
  if (Array.isArray(recipient)) throw new ApiError('not_found', 'Receipt not found')
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return {
    id: request.params.id ?? '',
    recipient: textOf(recipient),
    access: textOf(access),
    lang: textOf(lang),
  }
}
