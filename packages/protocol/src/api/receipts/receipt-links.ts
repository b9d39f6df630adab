import { Type } from 'typebox'

export const receiptLinks = {
  paymentUrl: Type.String({
    description: 'Where the buyer pays it, as short as it can be. Once it is paid, that page says so.',
  }),
  receiptUrl: Type.String({
    description:
      'The page that shows the receipt once it is paid, for printing and as a PDF (`.pdf` after the id). It shows nothing of billing data or e-mail.',
  }),
  privateReceiptUrl: Type.Union([Type.String(), Type.Null()], {
    description:
      'The same page with the billing data and the e-mail, for the buyer alone: whoever has this link sees them. It ends after 90 days; each request returns a fresh one. Null where the receipt holds no such data.',
  }),
}
