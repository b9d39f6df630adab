import type { TextKey } from '../messages/catalogue.ts'

/** The sections of the navigation, in its order. */
export const sections = [{ to: '/receipts', key: 'nav.receipts' }] as const satisfies readonly {
  to: string
  key: TextKey
}[]
