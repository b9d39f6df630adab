import { setPriority } from 'node:os'
import type { ReceiptView } from '../../payments/tracking/receipt-view.ts'
import { serveParent } from '../../platform/process/child-worker.ts'
import type { Locale } from '../messages/locales.ts'
import { translator } from '../messages/translator.ts'
import { FontBook } from '../pdf/font-book.ts'
import { receiptPdf } from './receipt-pdf.ts'

export type PdfRequest = { readonly view: ReceiptView; readonly locale: Locale; readonly url: string }

export type PdfReply = { readonly pdf: Uint8Array } | { readonly error: string }

// A document can take ten seconds of CPU time. Requests to the service have priority.
setPriority(10)
const book = new FontBook()
serveParent(
  ({ view, locale, url }: PdfRequest): Promise<PdfReply> =>
    receiptPdf(book, view, translator(locale), url).then(
      (pdf) => ({ pdf }),
      (error) => ({ error: String(error?.stack ?? error) }),
    ),
)
