import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'
import { QrCode } from './qr-code.tsx'

/** Shows a payment link as a QR code. The browser draws it, because the link can be on a brand's domain. */
export function PaymentQr({ paymentUrl }: { readonly paymentUrl: string }): ReactNode {
  return (
    <div className="aspect-square w-full max-w-68 rounded-2xl border border-line">
      <QrCode value={paymentUrl} label={text('app.qr')} />
    </div>
  )
}
