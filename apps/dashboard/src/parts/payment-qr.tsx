import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'

/** A payment link as a code to be scanned: drawn by the service, dark on white in every look. */
export function PaymentQr({ paymentUrl }: { readonly paymentUrl: string }): ReactNode {
  const { pathname, search } = new URL(paymentUrl)
  const path = pathname.replace(/^\/pay\//, '/portal/')
  return (
    <img
      src={`${path}.svg${search}`}
      alt={text('app.qr')}
      width={272}
      height={272}
      className="aspect-square w-full max-w-68 rounded-xl border border-line bg-white p-3"
    />
  )
}
