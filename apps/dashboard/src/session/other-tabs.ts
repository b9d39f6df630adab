import type { Session } from './log-in.ts'

/** Wallet and merchant of the browser's session. All tabs share one cookie. */
export type Acting = Pick<Session, 'wallet' | 'merchantWallet'>

export type OtherTabs = { report(now: Acting): void; close(): void }

/** Calls `onOpened` when another tab opens a session. */
export function openOtherTabs(onOpened: (now: Acting) => void): OtherTabs {
  const channel = new BroadcastChannel('sluice.session')
  channel.onmessage = ({ data }) => onOpened(data as Acting)
  return {
    report: ({ wallet, merchantWallet }) => channel.postMessage({ wallet, merchantWallet }),
    close: () => channel.close(),
  }
}
