import { pageData } from './page-data.ts'
import { dropSent, findSent, keepSent, type Sent } from './sent.ts'
import { showStep } from './stage.ts'
import { tell } from './telemetry.ts'
import { followBatch } from './wallet/batch.ts'
import { followTransaction } from './wallet/follow-transaction.ts'
import { type Slots, unwanted } from './wallet/payment.ts'
import type { Provider } from './wallet/provider.ts'
import type { BrowserWallet } from './wallet/wallets.ts'
import { walletName } from './wallet-list.ts'

/**
 * Follows what was sent through the wallet that sent it: the server hears of payments alone, never of one that
 * the network undoes, that waits, or that another transaction takes the place of.
 */
export async function watchSent(
  wallet: BrowserWallet,
  provider: Provider,
  isWanted: () => boolean,
): Promise<void> {
  const receipt = pageData.receipt()
  let sent = findSent(receipt, pageData.offer()?.received ?? '')
  if (!sent) return
  const show = (step: string) => {
    const hash = sent?.hash ?? ''
    showStep(step, { wallet: walletName(wallet), hash, ...links({ hash }) })
  }
  const keep = (next: Sent, step: string) => {
    sent = next
    keepSent(receipt, next)
    show(step)
  }
  try {
    const fate = await follow(provider, isWanted, sent, { keep, show })
    // What is lost from sight may still pay: the server will tell.
    if (fate === 'lost') return show('stuck')
    if (fate === 'mined' || fate === 'going') return
    dropSent(receipt)
    if (fate === 'reverted') tell('error')
    show(fate)
  } catch (error) {
    if (error !== unwanted) throw error
  }
}

type Telling = { keep(next: Sent, step: string): void; show(step: string): void }

function follow(provider: Provider, isWanted: () => boolean, sent: Sent, { keep, show }: Telling) {
  const payment = { provider, isWanted }
  const { hash, batch } = sent
  if (hash === undefined) return followBatch(payment, batch ?? '', (hash) => keep({ ...sent, hash }, 'sent'))
  const stuck = () => show('stuck')
  const replaced = (hash: string) => keep({ ...sent, hash }, 'replaced')
  return followTransaction(payment, { ...sent, hash }, { stuck, replaced }, Math.max(0, Date.now() - sent.at))
}

/** Where the block explorer shows a transaction. */
export function links({ hash }: { readonly hash?: string }): Slots {
  const explorer = pageData.offer()?.chain.explorerUrl
  return explorer && hash ? { explorer: `${explorer}/tx/${hash}` } : {}
}
