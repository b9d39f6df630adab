import type { Session } from './log-in.ts'

/** For whom the browser's session is now: one cookie serves all tabs. */
export type Acting = Pick<Session, 'wallet' | 'merchantWallet'>

/** Hears of, and tells, a session that another tab has opened in place of this one's. */
export type OtherTabs = { tell(now: Acting): void; close(): void }

/** Listens until it is closed. */
export function openOtherTabs(onOpened: (now: Acting) => void): OtherTabs {
  const channel = new BroadcastChannel('sluice.session')
  channel.onmessage = ({ data }) => onOpened(data as Acting)
  return {
    tell: ({ wallet, merchantWallet }) => channel.postMessage({ wallet, merchantWallet }),
    close: () => channel.close(),
  }
}
