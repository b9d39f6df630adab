import { Type } from 'typebox'

export const receiptLinks = {
  paymentUrl: Type.String({
    description: 'Short URL of the checkout. After the payment, the page shows that the receipt is paid.',
  }),
  receiptUrl: Type.String({
    description:
      'URL of the receipt page, available once the receipt is paid. For a PDF, append `.pdf` to the id. The page contains no billing data and no email address.',
  }),
  privateReceiptUrl: Type.Union([Type.String(), Type.Null()], {
    description:
      'URL of the same page with billing data and email address. Share this URL only with the buyer: anyone with the URL can see the data. The URL expires after 90 days, and each request returns a new one. Null if the receipt has no such data.',
  }),
}
