import { discoverWallets } from '@sluice/browser-wallet/discover-wallets.ts'
import type { Provider } from '@sluice/browser-wallet/provider.ts'
import type { Slots } from './payment.ts'

/** A wallet that the page can ask to pay. */
export type BrowserWallet = {
  /** The wallet's own reverse domain name; stays the same over reloads. */
  readonly id: string
  /** Absent: a wallet of the old kind that does not say its name. */
  readonly name: string | undefined
  readonly icon: string | undefined
  /** It is outside this browser, on a phone for one. */
  readonly isElsewhere?: boolean
  /** Gives the wallet; one outside this browser has to be connected first, which `show` shows steps of. */
  open(show: (step: string, slots?: Slots) => void): Provider | Promise<Provider>
}

/** Looks for wallets as long as the page lives; `onOver` once nobody is waited for any more. */
export function findWallets(onWallet: (wallet: BrowserWallet) => void, onOver: () => void): void {
  discoverWallets(({ provider, ...wallet }) => onWallet({ ...wallet, open: () => provider }), onOver)
}
