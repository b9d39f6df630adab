import type app from './en/app.json'
import type developers from './en/developers.json'
import type nav from './en/nav.json'
import type receipt from './en/receipt.json'
import type receipts from './en/receipts.json'
import type signIn from './en/sign-in.json'
import type split from './en/split.json'
import type status from './en/status.json'

/** The texts in English by part: each part is a file, and its keys begin with the part's name. */
type Parts = {
  app: typeof app
  developers: typeof developers
  nav: typeof nav
  receipt: typeof receipt
  receipts: typeof receipts
  'sign-in': typeof signIn
  split: typeof split
  status: typeof status
}

/** A part of the texts, loaded with the screens that need it. */
export type Part = keyof Parts

/** What a text is asked for by. */
export type TextKey = { [P in Part]: keyof Parts[P] }[Part]
