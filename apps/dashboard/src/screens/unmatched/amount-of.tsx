import type { ReactNode } from 'react'
import { tokenAmount } from '../../format/token.ts'
import { text } from '../../messages/messages.ts'
import { findToken } from '../../service/find-token.ts'
import { useWebApp } from '../../service/use-web-app.ts'
import type { Unmatched } from './unmatched.ts'

/** Shows the exact amount. Amounts of unknown tokens are in base units. */
export function AmountOf({ payment }: { readonly payment: Unmatched }): ReactNode {
  const token = findToken(useWebApp(), payment.tokenAddress)
  if (token) return tokenAmount(payment.amountRaw, token.decimals, token.symbol)
  const { amount, tokenName: name, tokenAddress: address } = payment
  if (name) return text('unmatched.unlisted', { amount: String(amount), name, address })
  return text('unmatched.base-units', { amount: payment.amountRaw, address: payment.tokenAddress })
}
