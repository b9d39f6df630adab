import type { Provider } from '@sluice/browser-wallet/provider.ts'
import { pageData } from './page-data.ts'
import type { BrowserWallet } from './wallet/payment.ts'

/** What the script of its own is given; it is loaded when somebody asks for it, and not before. */
export type ElsewhereOptions = {
  readonly projectId: string
  readonly chainId: number
  /** Shows the address to connect by, as a code and as a link. */
  show(step: string, slots?: Readonly<Record<string, string>>): void
}

type Script = { connect(options: ElsewhereOptions): Promise<Provider> }

/** The way to a wallet outside this browser, WalletConnect, where the service is set up for it. */
export function walletElsewhere(): BrowserWallet | undefined {
  const { walletconnect, project: projectId } = pageData.panel().dataset
  if (!walletconnect || !projectId) return undefined
  let connected: Provider | undefined
  return {
    id: 'walletconnect',
    name: 'WalletConnect',
    icon: undefined,
    isElsewhere: true,
    async open(show) {
      if (connected && !connected.isOver) return connected
      show('walletconnect-loading')
      const chainId = pageData.offer()?.chain.id ?? 0
      const script = (await import(walletconnect)) as Script
      connected = await script.connect({ projectId, chainId, show })
      return connected
    },
  }
}
