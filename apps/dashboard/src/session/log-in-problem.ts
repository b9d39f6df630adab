import { ApiError } from '../api/api-error.ts'
import { dateTime } from '../format/time.ts'
import { text } from '../messages/messages.ts'
import { readWalletError } from '../wallet/provider.ts'
import { NoRole, WrongWallet } from './log-in.ts'

export function logInProblem(error: unknown): string {
  if (error instanceof WrongWallet) return text('sign-in.wrong-wallet', { wallet: error.expected })
  if (error instanceof NoRole) return text('sign-in.forbidden', { wallet: error.wallet })
  if (error instanceof ApiError) {
    if (error.code === 'unreachable') return text('app.error.unreachable')
    if (error.status === 401) return text('sign-in.expired')
    if (error.resetAt !== undefined) return text('app.error.limit', { time: dateTime(error.resetAt) })
    return error.message
  }
  const reason = readWalletError(error)
  if (reason !== 'other') return text(`sign-in.${reason}`)
  return text('sign-in.other', {
    message: error instanceof Error ? error.message.slice(0, 200) : String(error),
  })
}
