import type { PageNeeds } from '../pages/register-pages.ts'
import { answerBill } from '../payments/x402/answer-bill.ts'
import { answerPayment } from '../payments/x402/answer-payment.ts'
import { checkoutParts, type RouteParts } from './routes.ts'
import type { CompleteConfig } from './runtime.ts'

/** What programs are answered that pay over HTTP (x402), at every payment URL. */
export function answerPrograms(
  parts: RouteParts,
  config: CompleteConfig,
): NonNullable<PageNeeds['answerProgram']> {
  const needs = checkoutParts(parts, config)
  return (asked, payment) =>
    payment === undefined ? answerBill(needs, asked) : answerPayment(needs, asked, payment)
}
