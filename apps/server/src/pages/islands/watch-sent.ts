import type { Provider } from '@sluice/browser-wallet/provider.ts'
import { pageData, report, shownStep } from './stage.ts'
import { showStep } from './steps.ts'
import { followBatch } from './wallet/batch.ts'
import { followTransaction, type Place } from './wallet/follow-transaction.ts'
import { type Slots, stuckAfterMs, unwanted } from './wallet/payment.ts'
import { dropSent, findSent, keepSent, type Sent } from './wallet/sent.ts'

/**
 * Follows the sent payment through its wallet.
 *
 * The server only detects payments, not reverted, pending or replaced transactions.
 */
export async function watchSent(provider: Provider, isWanted: () => boolean): Promise<void> {
  const receipt = pageData.receipt()
  const found = findOwn()
  if (!found) return
  let sent = found
  const show = (step: string) => showStep(step, slotsOf(sent))
  const keep = (change: Partial<Sent>) => {
    sent = { ...sent, ...change }
    keepSent(receipt, sent)
  }
  const follow = () => {
    const payment = { provider, isWanted }
    const stuck = () => show('stuck')
    const follows = (hash: string, step: string) => {
      keep({ hash })
      show(step)
    }
    const { hash, place, batch = '' } = sent
    const sentAgoMs = agoMs(sent)
    if (hash === undefined)
      return followBatch(payment, batch, { hash: (hash) => follows(hash, 'sent'), stuck }, sentAgoMs)
    const on = {
      stuck,
      replaced: (hash: string) => follows(hash, 'replaced'),
      found: (place: Place) => keep({ place }),
    }
    return followTransaction(payment, { ...sent, hash }, on, { place, sentAgoMs })
  }
  try {
    const fate = await follow()
    // A lost transaction may still pay, in which case the server reports the payment.
    if (fate === 'lost') return show('stuck')
    if (fate === 'mined' || fate === 'going') return
    dropSent(receipt)
    if (fate === 'reverted') report('error')
    show(fate)
  } catch (error) {
    if (error !== unwanted) throw error
  }
}

export function showStuckLater(isWanted: () => boolean): void {
  const sent = findOwn()
  if (!sent) return
  const later = () => {
    if (isWanted() && shownStep() === 'sent') showStep('stuck', slotsOf(sent))
  }
  setTimeout(later, Math.max(0, stuckAfterMs - agoMs(sent)))
}

function findOwn(): Sent | undefined {
  return findSent(pageData.receipt(), pageData.offer()?.received ?? '')
}

function agoMs(sent: Sent): number {
  return Math.max(0, Date.now() - sent.at)
}

function slotsOf({ walletName: wallet, hash = '' }: Sent): Slots {
  return { wallet, hash, ...links({ hash }) }
}

export function links({ hash }: { readonly hash?: string }): Slots {
  const explorer = pageData.offer()?.chain.explorerUrl
  return explorer && hash ? { explorer: `${explorer}/tx/${hash}` } : {}
}
