import { Type } from 'typebox'

export const receiptLinks = {
  paymentUrl: Type.String({
    description: 'Short URL of the checkout. After the payment, the page shows that the receipt is paid.',
  }),
  receiptUrl: Type.String({
    description:
      'The page that shows the receipt once it is paid, for printing and as a PDF (`.pdf` after the id). It shows nothing of billing data or e-mail.',
  }),
  privateReceiptUrl: Type.Union([Type.String(), Type.Null()], {
    description:
      'URL of the same page with the billing data and the e-mail, for the buyer only: anyone with this URL sees them. It expires after 90 days; each request returns a new URL. Null if the receipt has no such data.',
  }),
}
